From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals sequences exp.
From Deniable Require Import arithmetic model.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*             The budget is a filter: in epsilon, and in rho                 *)
(*                                                                            *)
(* A session is what a ledger sees: each release, its cost and whether there  *)
(* is one at all may depend on everything published before. It ends, after    *)
(* however many releases. Outputs are from one finite type.                   *)
(*                                                                            *)
(*        within B s == each release is what its cost says, and on no path do *)
(*                      costs add up to more than B                           *)
(*      mean s x F   == the mean of F over what is published about x in s     *)
(*   likelihood s x r == probability that r is what is published about x       *)
(*       spent s r   == what was charged when r was published                 *)
(*        total s F  == sum of F over everything that s may publish           *)
(******************************************************************************)

Section Sessions.
Variables (R : realType) (X : Type) (O : finType).
Add Ring real_ring : (real_ring_laws R).

Variable neighbours : X -> X -> Prop.

Inductive session :=
| stop
| release (A : X -> law R O) (cost : R) (next : O -> session).

Implicit Types (s : session) (x y : X) (r : seq O) (F : seq O -> R).

Fixpoint mean s x F : R :=
  match s with
  | stop => F [::]
  | release A _ next => \sum_o A x o * mean (next o) x (fun r => F (o :: r))
  end.

Fixpoint likelihood s x r : R :=
  match s, r with
  | stop, [::] => 1
  | release A _ next, o :: r' => A x o * likelihood (next o) x r'
  | _, _ => 0
  end.

Fixpoint spent s r : R :=
  match s, r with
  | release _ cost next, o :: r' => cost + spent (next o) r'
  | _, _ => 0
  end.

Fixpoint total s F : R :=
  match s with
  | stop => F [::]
  | release _ _ next => \sum_o total (next o) (fun r => F (o :: r))
  end.

(* What a cost says of a release: a predicate, one for epsilon and one for rho. *)
Variable costs : R -> (X -> law R O) -> Prop.

Fixpoint within (B : R) s : Prop :=
  match s with
  | stop => 0 <= B
  | release A cost next =>
      [/\ costs cost A, 0 <= cost <= B & forall o, within (B - cost) (next o)]
  end.

Lemma likelihood_ge0 s x r : 0 <= likelihood s x r.
Proof.
elim: s r => [|A e next ih] [|o r] //=; first exact: ler01.
by rewrite mulr_ge0 ?mass_ge0.
Qed.

Lemma total_scale s k F : total s (fun r => k * F r) = k * total s F.
Proof.
elim: s F => [|A e next ih] F //=; rewrite mulr_sumr.
by apply: eq_bigr => o _; apply: ih.
Qed.

Lemma eq_total s F G : F =1 G -> total s F = total s G.
Proof.
elim: s F G => [|A e next ih] F G FG //=; apply: eq_bigr => o _; apply: ih => r.
exact: FG.
Qed.

(* A mean is a sum over what may be published. *)
Lemma mean_likelihood s x F : mean s x F = total s (fun r => likelihood s x r * F r).
Proof.
elim: s F => [|A e next ih] F /=; first by rewrite mul1r.
apply: eq_bigr => o _; rewrite ih -total_scale; apply: eq_total => r.
by rewrite mulrA.
Qed.

Lemma mean_one s x : mean s x (fun _ => 1) = 1.
Proof.
elim: s => [|A e next ih] //=; rewrite -[RHS](mass_sum (A x)).
by apply: eq_bigr => o _; rewrite ih mulr1.
Qed.

Lemma mean_ge0 s x F : (forall r, 0 <= F r) -> 0 <= mean s x F.
Proof.
elim: s F => [|A e next ih] F F0 //=; apply: sumr_ge0 => o _.
by rewrite mulr_ge0 ?mass_ge0 ?ih.
Qed.

Lemma within_ge0 B s : within B s -> 0 <= B.
Proof. by case: s => //= A e next [_ /andP[e0 eB] _]; apply: le_trans eB. Qed.

Lemma spent_within B s r : within B s -> spent s r <= B.
Proof.
elim: s B r => [|A e next ih] B [|o r] //= w; try exact: within_ge0 w.
  by have [_ /andP[e0 eB] _] := w; apply: le_trans eB.
by have [_ _ wn] := w; rewrite addrC -ler_subr_addr ih.
Qed.

End Sessions.

Section Epsilon.
Variables (R : realType) (X : Type) (O : finType) (neighbours : X -> X -> Prop).
Add Ring real_ring : (real_ring_laws R).

Definition pure (e : R) (A : X -> law R O) :=
  forall x y, neighbours x y -> forall o, A x o <= expR e * A y o.

Implicit Types (s : session R X O) (x y : X).

(* "At any moment, with sum s so far, no odds moved by more than a factor e^s." *)
Theorem odometer B s x y r : within pure B s -> neighbours x y ->
  likelihood s x r <= expR (spent s r) * likelihood s y r.
Proof.
move=> + xy; elim: s B r => [|A e next ih] B [|o r] /=; rewrite ?mulr0 ?expR0 ?mulr1 //.
move=> [pe _ w]; rewrite expRD.
have -> : expR e * expR (spent (next o) r) * (A y o * likelihood (next o) y r) =
  (expR e * A y o) * (expR (spent (next o) r) * likelihood (next o) y r) by real_ring.
by apply: ler_pmul; rewrite ?mass_ge0 ?likelihood_ge0 ?pe ?(ih o _ _ (w o)).
Qed.

(* "All releases together are B-DP." *)
Theorem epsilon_filter B s x y (F : seq O -> R) : within pure B s -> neighbours x y ->
  (forall r, 0 <= F r) -> mean s x F <= expR B * mean s y F.
Proof.
move=> + xy; elim: s B F => [|A e next ih] B F /=.
  by move=> B0 F0; rewrite ler_pemull // -expR0; case: (ltgtP 0 B) B0 => // [B0 _|<- //]; rewrite expR0 ltW // expR_gt1.
move=> [pe _ w] F0; rewrite mulr_sumr; apply: ler_sum => o _.
have -> : B = e + (B - e) by rewrite addrC subrK.
rewrite expRD.
have -> : expR e * expR (B - e) * (A y o * mean (next o) y (fun r => F (o :: r))) =
  (expR e * A y o) * (expR (B - e) * mean (next o) y (fun r => F (o :: r))) by real_ring.
by apply: ler_pmul; rewrite ?mass_ge0 ?mean_ge0 ?pe ?(ih o _ _ (w o)).
Qed.

End Epsilon.

Section Rho.
Variables (R : realType) (X : Type) (O : finType) (neighbours : X -> X -> Prop).
Add Ring real_ring : (real_ring_laws R).

(* Powers of probabilities, real in the exponent. *)
Definition pow (a x : R) : R := if a == 0 then 0 else expR (x * ln a).

Lemma pow_ge0 a x : 0 <= pow a x.
Proof. by rewrite /pow; case: ifP => // _; apply: ltW; apply: expR_gt0. Qed.

Lemma powM a b x : 0 <= a -> 0 <= b -> pow (a * b) x = pow a x * pow b x.
Proof.
move=> a0 b0; rewrite /pow mulf_eq0.
have [/eqP az|an] := boolP (a == 0); first by rewrite mul0r.
have [/eqP bz|bn] := boolP (b == 0); first by rewrite orbT mulr0.
have ap : 0 < a by rewrite lt_def an.
have bp : 0 < b by rewrite lt_def bn.
by rewrite /= lnM ?posrE // mulrDr expRD.
Qed.

Lemma pow1 x : pow 1 x = 1.
Proof. by rewrite /pow oner_eq0 ln1 mulr0 expR0. Qed.

(* bun-steinke-2016: the divergence of every order alpha is at most alpha rho. What cannot
   happen under the second law does not happen under the first. *)
Definition concentrated_laws (rho : R) (P Q : law R O) :=
  (forall o, Q o = 0 -> P o = 0) /\
  forall alpha, 1 < alpha ->
    \sum_o pow (P o) alpha * pow (Q o) (1 - alpha) <= expR ((alpha - 1) * (alpha * rho)).

Definition concentrated rho (A : X -> law R O) :=
  forall x y, neighbours x y -> concentrated_laws rho (A x) (A y).

Implicit Types (s : session R X O) (x y : X).

Lemma impossible B s x y r : within concentrated B s -> neighbours x y ->
  likelihood s y r = 0 -> likelihood s x r = 0.
Proof.
move=> + xy; elim: s B r => [|A e next ih] B [|o r] //= [ce _ w] /eqP.
rewrite mulf_eq0 => /orP[/eqP z|/eqP z].
  by have [abs _] := ce x y xy; rewrite (abs o z) mul0r.
by rewrite (ih o _ _ (w o) z) mulr0.
Qed.

(* "All releases together are B-zCDP": the divergence of every order of what is published. *)
Theorem rho_filter B s x y alpha : within concentrated B s -> neighbours x y -> 1 < alpha ->
  total s (fun r => pow (likelihood s x r) alpha * pow (likelihood s y r) (1 - alpha)) <=
  expR ((alpha - 1) * (alpha * B)).
Proof.
move=> + xy alpha1; have a0 : 0 < alpha by apply: lt_trans alpha1.
elim: s B => [|A e next ih] B /=.
  move=> B0; rewrite !pow1 mulr1.
  have : 0 <= (alpha - 1) * (alpha * B) by rewrite !mulr_ge0 ?subr_ge0 // ltW.
  rewrite le_eqVlt => /orP[/eqP <-|pos]; first by rewrite expR0.
  by rewrite ltW // expR_gt1.
move=> [ce _ w]; have [_ le] := ce x y xy.
have -> : (alpha - 1) * (alpha * B) = (alpha - 1) * (alpha * e) + (alpha - 1) * (alpha * (B - e)).
  by real_ring.
rewrite expRD; set k := expR ((alpha - 1) * (alpha * (B - e))).
apply: (@le_trans _ _ (\sum_o pow (A x o) alpha * pow (A y o) (1 - alpha) * k)); last first.
  by rewrite -mulr_suml ler_wpmul2r ?le // ltW // expR_gt0.
apply: ler_sum => o _.
pose G r := pow (likelihood (next o) x r) alpha * pow (likelihood (next o) y r) (1 - alpha).
rewrite (@eq_total _ _ _ _ _ (fun r => pow (A x o) alpha * pow (A y o) (1 - alpha) * G r)) => [|r].
  by rewrite total_scale ler_wpmul2l ?mulr_ge0 ?pow_ge0 ?ih.
by rewrite /G !powM ?mass_ge0 ?likelihood_ge0 //; real_ring.
Qed.

(* bun-steinke-2016, Lemma 3.5, of a whole session and of two known x and y: a loss above l
   is rare. The order that says most is (l + rho) / (2 rho). *)

Lemma pow_loss (a b l alpha : R) : 0 <= a -> 0 <= b -> (b = 0 -> a = 0) -> 1 < alpha ->
  expR l * b < a -> a * expR ((alpha - 1) * l) <= pow a alpha * pow b (1 - alpha).
Proof.
move=> a0 b0 abs alpha1 loss.
have ap : 0 < a by apply: le_lt_trans loss; rewrite mulr_ge0 // ltW // expR_gt0.
have bn : b != 0 by apply/eqP => /abs e; rewrite e ltxx in ap.
have bp : 0 < b by rewrite lt_def bn.
rewrite /pow (negbTE bn) (negbTE (lt0r_neq0 ap)) -{1}[a]lnK ?posrE // -!expRD ler_expR.
have le : l + ln b <= ln a by rewrite -ler_expR expRD !lnK ?posrE // ltW.
apply: (@le_by_difference _ _ _ ((alpha - 1) * (ln a - (l + ln b)))); last by real_ring.
by rewrite mulr_ge0 // subr_ge0 // ltW.
Qed.

Lemma ler_total s F G : (forall r, F r <= G r) -> total s F <= total s G.
Proof.
elim: s F G => [|A e next ih] F G FG //=; apply: ler_sum => o _; apply: ih => r.
exact: FG.
Qed.

Section Tail.
Variables (rho l : R).
Hypotheses (rho0 : 0 < rho) (rhol : rho < l).

Let alpha := (l + rho) / (2%:R * rho).

Let den0 : 0 < 2%:R * rho. Proof. by rewrite mulr_gt0 // ltr0n. Qed.

Let alpha1 : 1 < alpha.
Proof. by rewrite /alpha ltr_pdivl_mulr // mul1r mulr2n mulrDl mul1r ltr_add2r. Qed.

Lemma best_order : (alpha - 1) * (alpha * rho) - (alpha - 1) * l =
  - ((l - rho) ^+ 2 / (4%:R * rho)).
Proof.
pose v := (2%:R * rho)^-1; have one_ : 2%:R * rho * v = 1 by rewrite divff // lt0r_neq0.
have order : alpha - 1 = (l - rho) * v.
  have -> : (l - rho) * v = (l + rho) * v - 2%:R * rho * v by real_ring.
  by rewrite one_.
have excess : alpha * rho - l = - ((l - rho) * (rho * v)).
  have -> : - ((l - rho) * (rho * v)) = (l + rho) * v * rho - l * (2%:R * rho * v) by real_ring.
  by rewrite one_ mulr1.
have four : (4%:R * rho)^-1 = v * (rho * v).
  have n4 : 4%:R * rho != 0 by rewrite mulf_neq0 ?pnatr_eq0 // lt0r_neq0.
  apply: (mulIf n4); rewrite mulVf //.
  have -> : (4%:R : R) = 2%:R * 2%:R by rewrite -natrM.
  have -> : v * (rho * v) * (2%:R * 2%:R * rho) = 2%:R * rho * v * (2%:R * rho * v) by real_ring.
  by rewrite one_ mulr1.
by rewrite -mulrBr excess order four; real_ring.
Qed.

Theorem rho_tail s x y : within concentrated rho s -> neighbours x y ->
  mean s x (fun r => (expR l * likelihood s y r < likelihood s x r)%R%:R) <=
  expR (- ((l - rho) ^+ 2 / (4%:R * rho))).
Proof.
move=> w xy; rewrite -best_order expRB ler_pdivl_mulr ?expR_gt0 //.
apply: le_trans (rho_filter w xy alpha1).
rewrite mean_likelihood mulrC -total_scale; apply: ler_total => r.
rewrite mulrC; case: (boolP (expR l * likelihood s y r < likelihood s x r)%R) => [loss|_]; last by rewrite mulr0 mul0r mulr_ge0 ?pow_ge0.
rewrite mulr1; apply: pow_loss; rewrite ?likelihood_ge0 //.
exact: (impossible w xy).
Qed.

End Tail.

End Rho.

(* One list of axioms for all of them: each would take as long as all. *)
Definition composition := (spent_within, odometer, epsilon_filter, rho_filter, impossible, rho_tail).
Print Assumptions composition.
