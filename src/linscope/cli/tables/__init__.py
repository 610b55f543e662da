"""How a command names a table, and that table as samples, labels and names."""
