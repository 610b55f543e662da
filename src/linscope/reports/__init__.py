"""One description of a table or page, rendered as text, HTML, LaTeX or Markdown."""
