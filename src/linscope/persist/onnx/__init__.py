"""``ls.to_onnx``: a fitted model as an ONNX graph of plain float64 operators.

front         which function writes which model; inputs, outputs, metadata
graph         nodes and constants
decisions     from scores to votes, probabilities and class numbers
linear        models that are hyperplanes, and Gaussian naive Bayes
exact         scores within rounding of 0, where a tie rule asks for their sign
distances     squared distances
committees    voted perceptrons
kernels       kernel values, kernel machines and their approximations
transformers  steps of pipelines before the model
one_hot       categories: codes of numbers and texts, one column for each
columns       the columns of a table as inputs with names

Every function takes the graph, a fitted object and the name of a tensor (n, d), and returns the
name of another, or the model's ``Answer``. Only operators that onnxruntime computes in float64 are
used, in the order of linscope's own arithmetic where that decides about ties.
"""
