#!/usr/bin/env bash
# Every verb on good and on bad files. A line below says the exit code, words that must be said on
# standard output or standard error, and the command; they run in one process.
#
#     tests/cli/every_verb.sh            in a folder of its own, which is removed at the end
set -euo pipefail
PYTHON=${PYTHON:-python}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "every_verb.sh: $*" >&2; exit 1; }
verbs() { "$PYTHON" "$here/run_lines.py"; }

{
  echo "id,size,plan,grade,price"
  for i in $(seq 1 40); do
    echo "$((7919 * i % 1000)),$((i * i % 17)),$([ $((i % 3)) = 0 ] && echo plus || echo basic),$([ $((i * i % 17)) -gt 7 ] && echo A || echo F),$((i * i % 17 * 3 + i % 5)).5"
  done
} > table.csv
sed 's/plus/gold/' table.csv | cut -d, -f1-4 > new.csv
sed 's/size/Size/' table.csv > other.csv
sed '3s/,[0-9]*,/,many,/' new.csv > text.csv
printf 'size,plan,grade\n' > empty.csv
printf 'no model' > broken.linscope
printf 'mine' > notes.txt

# good, then bad
verbs <<'LINES'
0 | iris               | linscope datasets
0 | 13                 | linscope examples
0 | Linearly separable | linscope separate or
0 | every visit        | linscope trace --help
0 | x1 + x2 > 0        | linscope trace perceptron or --quiet
0 | verdict            | linscope separate table.csv --target grade --drop price,id --json
0 | Regression         | linscope diagnose table.csv --target price --drop grade,id --quiet
0 | ⇒                  | linscope fit logistic table.csv --target grade --drop price --scale --save m.linscope
0 | price =            | linscope fit ridge table.csv --target price --drop grade --alpha 2 --save r.linscope
0 | gold               | linscope predict m.linscope new.csv --proba --out scored.csv
0 | id,size,plan,grade,price,predicted | linscope predict r.linscope table.csv --out -
0 | accuracy           | linscope evaluate m.linscope table.csv
0 | "rmse"             | linscope evaluate r.linscope table.csv --json
0 | verified           | linscope verify m.linscope table.csv
0 | Use the Fisher     | linscope compare table.csv --target grade --drop price --models fisher --folds 3 --repeats 1 --report report.html --quiet
0 | all agree          | linscope verify report.html table.csv --quiet

2 | Did you mean "predict"      | linscope predikt m.linscope new.csv
2 | Did you mean "logistic"     | linscope fit logistc table.csv
2 | did you mean 'grade'        | linscope fit logistic table.csv --target grad
2 | Did you mean                | linscope fit logistic table.csv --target grade --max-itr 3
2 | take regression, ridge      | linscope fit svm table.csv --target price
2 | is no model of linscope     | linscope fit ridge table.csv --target price --save notes.txt
2 | (did you mean 'Size'?)      | linscope predict m.linscope other.csv
2 | has 'many', where a number  | linscope predict m.linscope text.csv --out never.csv
2 | has a header but no rows    | linscope predict m.linscope empty.csv
2 | is not a model of linscope  | linscope predict broken.linscope new.csv
2 | exists                      | linscope predict m.linscope new.csv --out scored.csv
2 | did you mean 'new.csv'      | linscope predict m.linscope nwe.csv
2 | no column 'price'           | linscope evaluate r.linscope new.csv
1 | is not the table of         | linscope verify m.linscope new.csv
2 | not a report                | linscope verify table.csv table.csv
2 | which column                | linscope compare table.csv
2 | did you mean 'students'     | linscope trace perceptron studens
2 | classes, not numbers        | linscope diagnose or
2 | iris                        | linscope separate irsi
LINES
[ "$(wc -l < scored.csv)" = 41 ] || fail "scored.csv has not as many lines as new.csv"
[ "$(cut -d, -f1-4 scored.csv)" = "$(cat new.csv)" ] || fail "predict changed the table's columns"
[ ! -e never.csv ] || fail "a refused table left never.csv behind"
[ "$(cat notes.txt)" = mine ] || fail "notes.txt was overwritten"

# pipes
linscope() { "$PYTHON" -m linscope "$@"; }
cat new.csv | linscope predict m.linscope - --quiet > piped.csv
[ "$(cut -d, -f1-5 scored.csv)" = "$(cat piped.csv)" ] || fail "a pipe gives other predictions"
awk 'NR == 1 { print; next } { rows[NR] = $0 }
     END { for (k = 0; k < 500; k++) for (i = 2; i <= NR; i++) print rows[i] }' new.csv > long.csv
linscope predict m.linscope long.csv --quiet 2> said.txt | head -1 > first.txt || fail "a reader that leaves is an error: $(cat said.txt)"
[ ! -s said.txt ] || fail "a reader that leaves is complained of: $(cat said.txt)"
echo "every verb: fine"
