"""Rows in partitions, on the processes of a machine or on many machines.

partition   on a worker: the rows of a partition, and what is kept for them
log         what was kept so far, so that a lost partition can be made again
engine      the verbs of an engine, as jobs for the partitions
executors   jobs on any ``concurrent.futures.Executor``
dask        jobs on a Dask cluster, sums in a tree on its workers
collections Dask arrays and data frames as tables; predictions as such
"""
