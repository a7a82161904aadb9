From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model beliefs independent_membership.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*     From membership privacy over beliefs in [a, b] back to add-remove DP   *)
(*                                                                            *)
(* zhao-2019, Lemma 1, and the ends of the interval: gamma gives the positive *)
(* half with e^eps = min((1-a) gamma/(1 - a gamma), (gamma + b - 1)/b), the   *)
(* first term only where a gamma < 1.                                         *)
(******************************************************************************)

Section NarrowerBeliefs.
Variables (R : realFieldType) (I O : finType) (A : mechanism R I O) (gamma a b : R).
Add Ring real_ring : (real_ring_laws R).
Hypotheses (g1 : 1 <= gamma) (a0 : 0 <= a) (ab : a <= b) (b1 : b <= 1).
(* Some belief is uncertain, or nothing follows. *)
Hypotheses (a1 : a < 1) (b0 : 0 < b).

Hypothesis pmp : forall D : prior R I, independent D -> (forall i, between a b D i) ->
  positive_membership gamma D A.

Lemma weight_belief (D : prior R I) p i : (forall T, D T = weight p T) -> belief D i = p i.
Proof.
move=> Dp; have e : (1 - p i) * belief D i = p i * (1 - belief D i).
  rewrite belief_compl /belief sum_with !mulr_sumr; apply: eq_bigr => T iT.
  by rewrite !Dp (weight_with _ iT) (weight_without _ iT) mulrCA.
apply/eqP; rewrite -subr_eq0.
have -> : belief D i - p i = (1 - p i) * belief D i - p i * (1 - belief D i) by real_ring.
by rewrite e subrr.
Qed.

Section OnePair.
Variables (T : {set I}) (t : I) (S : {set O}).
Hypothesis tT : t \notin T.
Let x := Pr (A (t |: T)) S.
Let y := Pr (A T) S.
Let x0 : 0 <= x. Proof. exact: Pr_ge0. Qed.
Let y0 : 0 <= y. Proof. exact: Pr_ge0. Qed.
Let g0 : 0 < gamma. Proof. exact: lt_le_trans ltr01 g1. Qed.

Lemma at_belief q : a <= q -> q <= b -> 0 < q * x + (1 - q) * y ->
  q * x <= gamma * q * (q * x + (1 - q) * y) /\
  (1 - q) * (q * x + (1 - q) * y) <= (1 - q) * y * gamma.
Proof.
move=> aq qb s0; have q01 : 0 <= q <= 1 by rewrite (le_trans a0 aq) (le_trans qb b1).
pose pr := one_uncertain_probabilities t T q01.
have fam i : between a b (coins pr) i.
  rewrite /between (@weight_belief (coins pr) (one_uncertain t T q) i) // /one_uncertain.
  case: eqP => _; first by left; rewrite aq.
  by right; case: (i \in T); [right; rewrite mulr1n | left].
have member : positive_membership gamma (coins pr) A := pmp (coins_independent pr) fam.
have := member t S.
rewrite /posterior (seen_split _ A t S) joint_one_uncertain // doubt_one_uncertain //.
rewrite belief_one_uncertain // -/x -/y => /(_ s0) [le1 le2]; split.
  by rewrite -ler_pdivr_mulr.
by move: le2; rewrite one_minus_div // addrAC subrr add0r ler_pdivl_mulr // mulrAC ler_pdivr_mulr.
Qed.

Lemma sum_ge0 q : a <= q -> q <= b -> 0 <= q * x + (1 - q) * y.
Proof.
by move=> aq qb; rewrite addr_ge0 // mulr_ge0 ?subr_ge0 ?(le_trans a0 aq) ?(le_trans qb b1).
Qed.

Lemma average q : a <= q -> q <= b -> q < 1 -> q * x + (1 - q) * y <= gamma * y.
Proof.
move=> aq qb q1; have := sum_ge0 aq qb; rewrite le_eqVlt => /orP[/eqP <-|s0].
  by rewrite mulr_ge0 // ltW.
have [_] := at_belief aq qb s0; have nq : 0 < 1 - q by rewrite subr_gt0.
by rewrite -mulrA (ler_pmul2l nq) mulrC [y * _]mulrC.
Qed.

Lemma raised q : 0 < q -> a <= q -> q <= b -> x <= gamma * (q * x + (1 - q) * y).
Proof.
move=> q0 aq qb; have := sum_ge0 aq qb; rewrite le_eqVlt => /orP[/eqP e|s0].
  have /eqP : q * x + (1 - q) * y = 0 by [].
  rewrite paddr_eq0 ?mulr_ge0 ?subr_ge0 ?(ltW q0) ?(le_trans qb b1) //.
  by rewrite -e mulr0 mulf_eq0 (negbTE (lt0r_neq0 q0)) => /andP[/eqP ->].
have [le _] := at_belief aq qb s0; rewrite -(ler_pmul2l q0); apply: le_trans le _.
by rewrite -mulrA mulrCA.
Qed.

Lemma by_the_upper_end : x <= (gamma + b - 1) / b * y.
Proof.
rewrite mulrAC ler_pdivl_mulr //; case: (ltgtP b 1) b1 => // [lt1 _|e _].
  have le := average ab (lexx b) lt1; move: le; rewrite -subr_ge0 => le.
  by apply: (le_by_difference le); real_ring.
rewrite e mulr1 addrK leNgt; apply/negP => lt.
have xy : 0 < x - y.
  rewrite subr_gt0; apply: le_lt_trans lt; exact: ler_pemull.
pose q1 := (gamma - 1) * y / (x - y).
have q1lt : q1 < 1.
  by rewrite /q1 ltr_pdivr_mulr // mul1r mulrBl mul1r ltr_add2r.
pose q := Num.max a ((q1 + 1) / 2%:R).
have mid : (q1 + 1) / 2%:R < 1 by rewrite ltr_pdivr_mulr ?ltr0n // mul1r mulr2n ltr_add2r.
have q1q : q1 < q.
  rewrite lt_maxr; apply/orP; right; rewrite ltr_pdivl_mulr ?ltr0n //.
  by rewrite mulr_natr mulr2n ltr_add2l.
have qlt : q < 1 by rewrite lt_maxl a1.
have aq : a <= q by rewrite le_maxr lexx.
have qb : q <= b by rewrite e ltW.
have := average aq qb qlt; apply/negP; rewrite -ltNge.
move: q1q; rewrite /q1 ltr_pdivr_mulr // => gt.
rewrite -subr_gt0; have -> : q * x + (1 - q) * y - gamma * y = q * (x - y) - (gamma - 1) * y.
  by real_ring.
by rewrite subr_gt0.
Qed.

Lemma by_the_lower_end : a * gamma < 1 -> x <= (1 - a) * gamma / (1 - a * gamma) * y.
Proof.
move=> ag; have d0 : 0 < 1 - a * gamma by rewrite subr_gt0.
rewrite mulrAC ler_pdivl_mulr //.
have [az|an] := eqVneq a 0; last first.
  have apos : 0 < a by rewrite lt_def an.
  have le : 0 <= gamma * (a * x + (1 - a) * y) - x by rewrite subr_ge0 raised.
  by apply: (le_by_difference le); real_ring.
rewrite az mul0r !subr0 mulr1 mul1r leNgt; apply/negP => lt.
have xpos : 0 < x by apply: le_lt_trans lt; rewrite mulr_ge0 // ltW.
have den : 0 < 2%:R * gamma * x by rewrite !mulr_gt0 ?ltr0n.
pose q := Num.min b ((x - gamma * y) / (2%:R * gamma * x)).
have q0 : 0 < q by rewrite lt_minr b0 divr_gt0 // subr_gt0.
have qb : q <= b by rewrite le_minl lexx.
have aq : a <= q by rewrite az ltW.
have := raised q0 aq qb; apply/negP; rewrite -ltNge.
have : q <= (x - gamma * y) / (2%:R * gamma * x) by rewrite le_minl lexx orbT.
rewrite ler_pdivl_mulr // => small.
have room : 0 <= q * (2%:R * gamma * y) + q * (2%:R * gamma * x) - q * (2%:R * gamma * x).
  by rewrite addrK !mulr_ge0 ?ler0n // ltW.
rewrite -subr_gt0 -(pmulr_rgt0 _ (ltr0n R 2 : 0 < 2%:R)).
have -> : 2%:R * (x - gamma * (q * x + (1 - q) * y)) =
  (x - gamma * y) + ((x - gamma * y - q * (2%:R * gamma * x)) + q * (2%:R * gamma * y)).
  by real_ring.
apply: ltr_paddr; last by rewrite subr_gt0.
by rewrite addr_ge0 ?subr_ge0 // !mulr_ge0 ?ler0n // ltW.
Qed.

End OnePair.

Theorem positive_membership_to_one_sided_dp :
  positive_half ((gamma + b - 1) / b) A /\
  (a * gamma < 1 -> positive_half ((1 - a) * gamma / (1 - a * gamma)) A).
Proof.
by split=> [T t S tT|ag T t S tT]; [apply: by_the_upper_end | apply: by_the_lower_end].
Qed.

End NarrowerBeliefs.

Print Assumptions positive_membership_to_one_sided_dp.
