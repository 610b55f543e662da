"""A comparison on paper: everything here is made of ``comparison.findings.Findings`` alone.

page       the report, one HTML file; its template and style are in ``templates``
fragment   the short form for notebooks
twin       the findings as JSON, and back; schema: what that JSON looks like
verify     two findings compared number by number; a page compared with its own twin
figures    scores, differences, learning curve and the rest, as Displays and as inline SVG
"""
