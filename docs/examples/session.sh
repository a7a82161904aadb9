# The commands of docs/reference/commands.md, one after the other, in this folder.
deniable calibrate --max-posterior 0.5 --prior 0 0.1
deniable new stays.csv | head -16
deniable explore stays.toml --out page.html
deniable plan stays.toml
deniable preview stays.toml | tail -23
deniable release stays.toml --out published
deniable check published | head -21
ssh-keygen -q -t ed25519 -N '' -f key
deniable sign published --key key
deniable dossier published --for hipaa --out dossier.html | head -9
deniable schema plan | head -12
deniable release trial.toml --out curves
deniable export published --to xlsx --out stays.xlsx
deniable ledger new hospital.ledger --dataset stays --entity patient --unit patient --max-posterior 0.5 --prior 0 0.1
deniable ledger cost hospital.ledger charged.toml
deniable release charged.toml --out charged
deniable ledger show hospital.ledger
deniable ledger check hospital.ledger charged
deniable ledger export hospital.ledger
CHARGE=$(python -c 'import deniable as d; print(d.ledger.charge_guarantee("hospital.ledger", "pure-dp:0.5", what="a model").id)')
deniable ledger void hospital.ledger $CHARGE --because "the model was never trained"
deniable verify response.json --family uninformed
deniable audit counting:release --claimed pure-dp:1 --runs 2000
deniable population exponential --data incomes.csv --size 3 --candidates incomes.csv --clip 6 --epsilon 1
deniable population gaussian --data incomes.csv --size 3 --sigma 1 --delta 0.01
deniable population laplace --data incomes.csv --size 3 --scale 1
deniable population discrete-laplace --query sum --data incomes.csv --size 3 --scale 3
deniable population discrete-gaussian --query sum --data incomes.csv --size 3 --scale 3 --delta 0.01
deniable population count --ones 300 --population 1000 --size 500 --scale 2
deniable rules compare cms opensafely --members 40 --prior 0.5 0.5
deniable rules judge diabetes.toml diabetes.csv
deniable rules book new counts.book
deniable rules book add counts.book diabetes.toml diabetes.csv --name 2025 --published 2025-03-01
deniable rules book show counts.book
deniable rules book check counts.book
deniable gate outputs --max-posterior 0.95
deniable rules repair diabetes.toml | head -8
deniable gwas simulate --out study --individuals 1000 --cases 500 --variants 300 --causal 1 --odds-ratio 3 --spacing 50000 --reference 1000 --seed 3
deniable gwas scan study --out scan.tsv
deniable gwas release study --top 1 --gamma 9 --prior 0.1 0.5 --out hits
deniable gwas frequencies study --all-variants --epsilon 20 --out frequencies
deniable gwas utility study --top 1 --gamma 9 --prior 0.1 0.5 --trials 50
deniable gwas attack study --reference study.reference | head -20
deniable gwas safe --pool 2000 --prior 0.5 0.5 --max-posterior 0.6
deniable training calibrate --sample-rate 0.02 --steps 500 --delta 1e-5 --advantage 0.2
deniable training compare --noise-multiplier 2 --steps-per-epoch 8 --epochs 1 --delta 1e-5 | head -13
deniable training explain --sample-rate 0.01 --steps 2000 --noise-multiplier 1 --delta 1e-5
deniable training certify --sample-rate 0.01 --steps 2000 --noise-multiplier 1 --delta 1e-5 --out training
