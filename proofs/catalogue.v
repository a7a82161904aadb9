From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals sequences exp.
From Deniable Require Import arithmetic model beliefs independent_membership.
From Deniable Require Import bounded_membership attacks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*        The theorems of the catalogue, in epsilon and by their names        *)
(*                                                                            *)
(* Each theorem here is named like the function of the package whose formula  *)
(* it proves, without the rounding. A suffix says which adjacency, or which   *)
(* part, where the function has several.                                      *)
(******************************************************************************)

Section Catalogue.
Variables (R : realType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (A : mechanism R I O) (D : prior R I) (S : {set O}) (T : {set I}) (t u : I).
Implicit Types (epsilon delta p a b gamma X : R).

Lemma expR_ge1 epsilon : 0 <= epsilon -> 1 <= expR epsilon.
Proof.
rewrite le_eqVlt => /orP[/eqP <-|pos]; first by rewrite expR0.
by rewrite ltW // expR_gt1.
Qed.

Lemma expR_ge0 epsilon : 0 <= expR epsilon.
Proof. by rewrite ltW // expR_gt0. Qed.

(* --- Beliefs: what starts at or below p ends at or below the cap of p. *)

Lemma cap_rises (c p p' : R) : 1 <= c -> 0 <= p -> p <= p' -> cap c p <= cap c p'.
Proof.
move=> c1 p0 le; have p0' := le_trans p0 le; have c0 : 0 <= c by apply: le_trans c1.
rewrite /cap ler_pdivr_mulr ?spread_gt0 // mulrAC ler_pdivl_mulr ?spread_gt0 //.
apply: (@le_by_difference _ _ _ (c * (p' - p))); last by real_ring.
by rewrite mulr_ge0 ?subr_ge0.
Qed.

Lemma floor_rises (c p p' : R) : 1 <= c -> 0 <= p -> p <= p' -> p' <= 1 ->
  beliefs.floor c p <= beliefs.floor c p'.
Proof.
move=> c1 p0 le p1; have p1' := le_trans le p1; have c0 : 0 <= c by apply: le_trans c1.
rewrite /beliefs.floor ler_pdivr_mulr ?spread_below_gt0 // mulrAC.
rewrite ler_pdivl_mulr ?spread_below_gt0 //.
apply: (@le_by_difference _ _ _ (c * (p' - p))); last by real_ring.
by rewrite mulr_ge0 ?subr_ge0.
Qed.

Theorem pure_dp_to_max_posterior_add_remove epsilon p A D t S : 0 <= epsilon -> belief D t <= p ->
  add_remove_dp (expR epsilon) A -> independent_of_rest D t -> 0 < seen D A S ->
  posterior D A t S <=
    expR epsilon * p / ((expR epsilon - 1) * p + 1).
Proof.
move=> e0 le_p [pos _] ind s0; apply: le_trans (cap_rises (expR_ge1 e0) (belief_ge0 D t) le_p).
apply: posterior_at_most => //; first exact: expR_ge1.
exact: positive_half_favours.
Qed.

Theorem pure_dp_to_max_posterior_replace_one epsilon p A D t S : 0 <= epsilon -> belief D t <= p ->
  replace_one_dp (expR epsilon) A -> bounded_independent D -> 0 < seen D A S ->
  posterior D A t S <=
    expR epsilon * p / ((expR epsilon - 1) * p + 1).
Proof.
move=> e0 le_p dp DB s0; apply: le_trans (cap_rises (expR_ge1 e0) (belief_ge0 D t) le_p).
apply: posterior_at_most => //; first exact: expR_ge1.
by apply: replace_one_favours => //; apply: expR_ge1.
Qed.

Theorem one_sided_dp_to_max_posterior epsilon p A D t S : 0 <= epsilon -> belief D t <= p ->
  positive_half (expR epsilon) A -> independent_of_rest D t -> 0 < seen D A S ->
  posterior D A t S <=
    expR epsilon * p / ((expR epsilon - 1) * p + 1).
Proof.
move=> e0 le_p pos ind s0; apply: le_trans (cap_rises (expR_ge1 e0) (belief_ge0 D t) le_p).
apply: posterior_at_most => //; first exact: expR_ge1.
exact: positive_half_favours.
Qed.

Theorem pure_dp_to_min_posterior_add_remove epsilon p A D t S : 0 <= epsilon -> 0 <= p -> p <= belief D t ->
  add_remove_dp (expR epsilon) A -> independent_of_rest D t -> 0 < seen D A S ->
  p / (p + expR epsilon * (1 - p)) <= posterior D A t S.
Proof.
move=> e0 p0 le_p [_ neg] ind s0; apply: le_trans (floor_rises (expR_ge1 e0) p0 le_p (belief_le1 D t)) _.
apply: posterior_at_least => //; first exact: expR_ge1.
exact: negative_half_disfavours.
Qed.

Theorem pure_dp_to_min_posterior_replace_one epsilon p A D t S : 0 <= epsilon -> 0 <= p -> p <= belief D t ->
  replace_one_dp (expR epsilon) A -> bounded_independent D -> 0 < seen D A S ->
  p / (p + expR epsilon * (1 - p)) <= posterior D A t S.
Proof.
move=> e0 p0 le_p dp DB s0; apply: le_trans (floor_rises (expR_ge1 e0) p0 le_p (belief_le1 D t)) _.
apply: posterior_at_least => //; first exact: expR_ge1.
by apply: replace_one_disfavours => //; apply: expR_ge1.
Qed.

Theorem positive_membership_to_max_posterior gamma p A D t S :
  0 < gamma -> belief D t <= p -> positive_membership gamma D A -> 0 < seen D A S ->
  posterior D A t S <= Num.min (gamma * p) ((gamma - 1 + p) / gamma).
Proof.
move=> g0 le_p pmp s0; have [up low] := pmp t S s0.
rewrite le_minr (le_trans up) ?ler_pmul2l //=.
have -> : (gamma - 1 + p) / gamma = 1 - (1 - p) / gamma.
  by rewrite one_minus_div //; congr (_ / _); real_ring.
rewrite ler_subr_addr addrC -ler_subr_addr; apply: le_trans low.
by rewrite ler_pmul2r ?invr_gt0 // ler_add2l ler_opp2.
Qed.

(* --- Membership privacy: tramer-2015, Theorem 2; li-2013, Theorems 4.5 and 4.8. *)

Theorem pure_dp_to_positive_membership_replace_one epsilon a b A D t S :
  0 <= epsilon -> 0 <= a -> 0 <= b ->
  replace_one_dp (expR epsilon) A -> bounded_independent D -> between a b D t ->
  0 < seen D A S ->
  posterior D A t S <= gamma_of (expR epsilon) a b * belief D t /\
  (1 - belief D t) / gamma_of (expR epsilon) a b <= 1 - posterior D A t S.
Proof. by move=> e0 a0 b0 dp DB btw s0; apply: bounded_priors => //; apply: expR_ge1. Qed.

Theorem pure_dp_to_negative_membership_replace_one epsilon a b A D t S :
  0 <= epsilon -> a <= 1 -> b <= 1 ->
  replace_one_dp (expR epsilon) A -> bounded_independent D -> between a b D t ->
  0 < seen D A S ->
  1 - posterior D A t S <= gamma_of (expR epsilon) (1 - b) (1 - a) * (1 - belief D t) /\
  belief D t / gamma_of (expR epsilon) (1 - b) (1 - a) <= posterior D A t S.
Proof. by move=> e0 a1 b1 dp DB btw s0; apply: bounded_priors_of_doubt => //; apply: expR_ge1. Qed.

Theorem one_sided_dp_to_positive_membership epsilon a b A D t S :
  0 <= epsilon -> 0 <= a -> 0 <= b ->
  positive_half (expR epsilon) A -> independent D -> between a b D t -> 0 < seen D A S ->
  posterior D A t S <= gamma_of (expR epsilon) a b * belief D t /\
  (1 - belief D t) / gamma_of (expR epsilon) a b <= 1 - posterior D A t S.
Proof.
move=> e0 a0 b0 pos ind btw s0; apply: beliefs_within_gamma => //; first exact: expR_ge1.
by apply: positive_half_favours => //; apply: independent_rest.
Qed.

Theorem one_sided_dp_to_negative_membership epsilon a b A D t S :
  0 <= epsilon -> a <= 1 -> b <= 1 ->
  negative_half (expR epsilon) A -> independent D -> between a b D t -> 0 < seen D A S ->
  1 - posterior D A t S <= gamma_of (expR epsilon) (1 - b) (1 - a) * (1 - belief D t) /\
  belief D t / gamma_of (expR epsilon) (1 - b) (1 - a) <= posterior D A t S.
Proof.
move=> e0 a1 b1 neg ind btw s0; apply: doubts_within_gamma => //; first exact: expR_ge1.
by apply: negative_half_disfavours => //; apply: independent_rest.
Qed.

Theorem pure_dp_to_positive_membership_add_remove epsilon a b A D t S :
  0 <= epsilon -> 0 <= a -> 0 <= b ->
  add_remove_dp (expR epsilon) A -> independent D -> between a b D t -> 0 < seen D A S ->
  posterior D A t S <= gamma_of (expR epsilon) a b * belief D t /\
  (1 - belief D t) / gamma_of (expR epsilon) a b <= 1 - posterior D A t S.
Proof. by move=> e0 a0 b0 [pos _]; apply: one_sided_dp_to_positive_membership. Qed.

Theorem pure_dp_to_negative_membership_add_remove epsilon a b A D t S :
  0 <= epsilon -> a <= 1 -> b <= 1 ->
  add_remove_dp (expR epsilon) A -> independent D -> between a b D t -> 0 < seen D A S ->
  1 - posterior D A t S <= gamma_of (expR epsilon) (1 - b) (1 - a) * (1 - belief D t) /\
  belief D t / gamma_of (expR epsilon) (1 - b) (1 - a) <= posterior D A t S.
Proof. by move=> e0 a1 b1 [_ neg]; apply: one_sided_dp_to_negative_membership. Qed.

Theorem positive_membership_to_replace_one_dp epsilon A : 0 <= epsilon ->
  (forall D, bounded_independent D -> positive_membership (expR epsilon) D A) ->
  replace_one_dp (expR epsilon) A.
Proof. by move=> e0 pmp; apply/replace_one_is_positive_membership => //; apply: expR_ge1. Qed.

Theorem negative_membership_to_replace_one_dp epsilon A : 0 <= epsilon ->
  (forall D, bounded_independent D -> negative_membership (expR epsilon) D A) ->
  replace_one_dp (expR epsilon) A.
Proof. by move=> e0 nmp; apply: negative_membership_is_replace_one => //; apply: expR_ge1. Qed.

Theorem pure_dp_to_one_sided_dp epsilon A : add_remove_dp (expR epsilon) A ->
  positive_half (expR epsilon) A /\ negative_half (expR epsilon) A.
Proof. by []. Qed.

Theorem one_sided_dp_to_pure_dp epsilon epsilon' A :
  positive_half (expR epsilon) A -> negative_half (expR epsilon') A ->
  add_remove_dp (expR (Num.max epsilon epsilon')) A.
Proof.
have le (x y : R) : x <= y -> expR x <= expR y by rewrite ler_expR.
move=> pos neg; split=> T t S tT.
  by apply: le_trans (pos T t S tT) _; rewrite ler_wpmul2r ?Pr_ge0 // le // le_maxr lexx.
by apply: le_trans (neg T t S tT) _; rewrite ler_wpmul2r ?Pr_ge0 // le // le_maxr lexx orbT.
Qed.

(* --- (epsilon, delta): attacks on whom the adversary averages over the others. *)

Definition approx_dp (neighbours : {set I} -> {set I} -> Prop) epsilon delta A :=
  forall T T', neighbours T T' -> close (expR epsilon) delta (A T) (A T').

Definition add_remove T T' := exists2 t : I, t \notin T & T' = t |: T.
Definition either_way (N : {set I} -> {set I} -> Prop) T T' := N T T' \/ N T' T.
Definition replace_one T T' :=
  exists (V : {set I}) t u, [/\ t \notin V, u \notin V, T = t |: V & T' = u |: V].

Theorem pure_dp_to_approx_dp epsilon A :
  add_remove_dp (expR epsilon) A <-> approx_dp (either_way add_remove) epsilon 0 A.
Proof.
split=> [[pos neg] T T' [[t tT ->]|[t tT ->]] S|dp]; rewrite ?addr0; [exact: neg|exact: pos|].
split=> T t S tT; rewrite -[X in _ <= X]addr0; apply: dp; [right | left]; by exists t.
Qed.

Theorem pure_dp_to_approx_dp_replace_one epsilon A :
  replace_one_dp (expR epsilon) A <-> approx_dp replace_one epsilon 0 A.
Proof.
split=> [dp T T' [V [t [u [tV uV -> ->]]]] S|dp T t u S tT uT]; first by rewrite addr0 dp.
by rewrite -[X in _ <= X]addr0; apply: dp; exists T, t, u.
Qed.

Section Attacks.
Variables (N : {set I} -> {set I} -> Prop) (J : finType) (W : law R J) (T T' : J -> {set I}).
Hypotheses (there : forall j, N (T j) (T' j)) (back : forall j, N (T' j) (T j)).

(* Under either law the others are drawn from W; T j has the entity and T' j has not,
   or has another in its place. *)
Let P A := mixture W (fun j => A (T j)).
Let Q A := mixture W (fun j => A (T' j)).

Theorem approx_dp_to_advantage epsilon delta A (attacker : O -> R) : 0 <= epsilon ->
  approx_dp N epsilon delta A -> attack attacker ->
  advantage (P A) (Q A) attacker <=
    (expR epsilon - 1 + 2%:R * delta) / (expR epsilon + 1).
Proof.
move=> e0 dp at_; apply: advantage_at_most => //; first exact: expR_ge1.
  by apply: close_mixture => j; apply: dp.
by apply: close_mixture => j; apply: dp.
Qed.

Theorem approx_dp_to_attack_success epsilon delta A (attacker : O -> R) : 0 <= epsilon ->
  approx_dp N epsilon delta A -> attack attacker ->
  success (P A) (Q A) attacker <= (expR epsilon + delta) / (expR epsilon + 1).
Proof.
move=> e0 dp at_; apply: success_at_most => //; first exact: expR_ge1.
  by apply: close_mixture => j; apply: dp.
by apply: close_mixture => j; apply: dp.
Qed.

Definition tanh (x : R) := (expR x - expR (- x)) / (expR x + expR (- x)).

Lemma tanh_half epsilon : tanh (epsilon / 2%:R) = (expR epsilon - 1) / (expR epsilon + 1).
Proof.
rewrite /tanh expRN; set h := expR _; have h0 : 0 < h by apply: expR_gt0.
have e : h * h = expR epsilon.
  by rewrite -expRD -splitr.
rewrite -e; have hi : h * h^-1 = 1 by rewrite divff // lt0r_neq0.
have -> : h - h^-1 = (h * h - 1) / h.
  by rewrite mulrBl mulfK ?lt0r_neq0 // mul1r.
have -> : h + h^-1 = (h * h + 1) / h.
  by rewrite mulrDl mulfK ?lt0r_neq0 // mul1r.
by rewrite same_scale.
Qed.

Theorem pure_dp_to_advantage epsilon A (attacker : O -> R) : 0 <= epsilon ->
  approx_dp N epsilon 0 A -> attack attacker ->
  advantage (P A) (Q A) attacker <= tanh (epsilon / 2%:R).
Proof.
move=> e0 dp at_; rewrite tanh_half.
by have := approx_dp_to_advantage e0 dp at_; rewrite mulr0 addr0.
Qed.

Theorem approx_dp_to_false_negative_rate epsilon delta A (attacker : O -> R) (alpha : R) :
  0 <= epsilon -> approx_dp N epsilon delta A -> attack attacker ->
  power (Q A) attacker = alpha ->
  Num.max (1 - delta - expR epsilon * alpha) ((1 - delta - alpha) / expR epsilon) <=
    1 - power (P A) attacker.
Proof.
move=> e0 dp at_ <-; have c0 := expR_ge0 epsilon.
have pq : close (expR epsilon) delta (P A) (Q A) by apply: close_mixture => j; apply: dp.
have qp : close (expR epsilon) delta (Q A) (P A) by apply: close_mixture => j; apply: dp.
rewrite le_maxl ler_pdivr_mulr ?expR_gt0 //; apply/andP; split.
  have := close_power c0 pq at_; rewrite -subr_ge0 => le.
  by apply: (le_by_difference le); real_ring.
have := close_power c0 qp (attack_compl at_); rewrite !power_compl -subr_ge0 => le.
by apply: (le_by_difference le); real_ring.
Qed.

Theorem pure_dp_to_privacy_loss_tail epsilon A o :
  approx_dp N epsilon 0 A -> P A o <= expR epsilon * Q A o.
Proof.
move=> dp; rewrite -!Pr_set1 -[X in _ <= X]addr0.
by apply: close_mixture => j; apply: dp.
Qed.

Theorem approx_dp_to_privacy_loss_tail epsilon delta X A : 0 < delta -> delta < X ->
  approx_dp N epsilon delta A ->
  Pr (P A) [set o | expR (epsilon - ln (1 - delta / X)) * Q A o < P A o] <= X.
Proof.
move=> d0 dX dp; have X0 := lt_trans d0 dX; set k := expR _.
have r0 : 0 < 1 - delta / X by rewrite subr_gt0 ltr_pdivr_mulr // mul1r.
have pq : close (expR epsilon) delta (P A) (Q A) by apply: close_mixture => j; apply: dp.
have k0 : 0 < k by apply: expR_gt0.
have := rare_outputs (expR_ge0 epsilon) k0 pq.
have -> : expR epsilon / k = 1 - delta / X.
  by rewrite /k expRB lnK ?posrE // invf_div mulrCA divff ?mulr1 // lt0r_neq0 // expR_gt0.
have -> : 1 - (1 - delta / X) = delta / X by real_ring.
by rewrite mulrA ler_pdivr_mulr // mulrC (ler_pmul2l d0).
Qed.

Theorem privacy_loss_tail_to_approx_dp epsilon X A (B : {set O}) :
  Pr (P A) B <= X -> (forall o, o \notin B -> P A o <= expR epsilon * Q A o) ->
  close (expR epsilon) X (P A) (Q A).
Proof. by move=> rare le; apply: but_for_rare_outputs rare le; apply: expR_ge0. Qed.

End Attacks.

(* --- From add-remove to replace-one. *)

Theorem add_remove_approx_dp_to_replace_one_approx_dp epsilon delta A :
  approx_dp (either_way add_remove) epsilon delta A ->
  approx_dp replace_one (2%:R * epsilon) ((1 + expR epsilon) * delta) A.
Proof.
move=> dp T T' [V [t [u [tV uV -> ->]]]]; rewrite expRMm.
apply: (close_two (expR_ge0 epsilon) (dp _ V _) (dp V _ _)); first by right; exists t.
by left; exists u.
Qed.

Theorem add_remove_dp_to_replace_one_dp epsilon A :
  add_remove_dp (expR epsilon) A -> replace_one_dp (expR (2%:R * epsilon)) A.
Proof.
move=> /pure_dp_to_approx_dp /add_remove_approx_dp_to_replace_one_approx_dp.
by rewrite mulr0 => /pure_dp_to_approx_dp_replace_one.
Qed.

End Catalogue.

(* One list of axioms for all of them: each would take as long as all. *)
Definition catalogue := (
  pure_dp_to_max_posterior_add_remove,
  pure_dp_to_max_posterior_replace_one,
  one_sided_dp_to_max_posterior,
  pure_dp_to_min_posterior_add_remove,
  pure_dp_to_min_posterior_replace_one,
  positive_membership_to_max_posterior,
  pure_dp_to_positive_membership_replace_one,
  pure_dp_to_positive_membership_add_remove,
  pure_dp_to_negative_membership_replace_one,
  pure_dp_to_negative_membership_add_remove,
  one_sided_dp_to_positive_membership,
  one_sided_dp_to_negative_membership,
  positive_membership_to_replace_one_dp,
  negative_membership_to_replace_one_dp,
  pure_dp_to_one_sided_dp,
  one_sided_dp_to_pure_dp,
  pure_dp_to_approx_dp,
  pure_dp_to_approx_dp_replace_one,
  approx_dp_to_advantage,
  approx_dp_to_attack_success,
  pure_dp_to_advantage,
  approx_dp_to_false_negative_rate,
  pure_dp_to_privacy_loss_tail,
  approx_dp_to_privacy_loss_tail,
  privacy_loss_tail_to_approx_dp,
  add_remove_approx_dp_to_replace_one_approx_dp,
  add_remove_dp_to_replace_one_dp).
Print Assumptions catalogue.
