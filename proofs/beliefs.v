From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*              From a bound on likelihoods to bounds on beliefs              *)
(*                                                                            *)
(* "favours c D A t S" says Pr[S|t] <= c Pr[S|not t], without conditioning:   *)
(* both sides are multiplied by p (1 - p). "disfavours" is the reverse.       *)
(* What holds of one prior and one event follows from these alone; which      *)
(* mechanisms and priors have them is shown in independent_membership.v and   *)
(* bounded_membership.v.                                                      *)
(******************************************************************************)

Section Posteriors.
Variables (R : realFieldType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (A : mechanism R I O) (D : prior R I) (S : {set O}) (t : I) (c : R).

Definition favours c D A t S :=
  (1 - belief D t) * joint D A t S <= c * belief D t * doubt D A t S.

Definition disfavours c D A t S :=
  belief D t * doubt D A t S <= c * (1 - belief D t) * joint D A t S.

Definition cap c (p : R) := c * p / ((c - 1) * p + 1).
Definition floor c (p : R) := p / (p + c * (1 - p)).

Lemma spread_gt0 c p : 1 <= c -> 0 <= p -> 0 < (c - 1) * p + 1.
Proof. by move=> c1 p0; apply: ltr_paddl ltr01; rewrite mulr_ge0 ?subr_ge0. Qed.

Lemma spread_below_gt0 c p : 1 <= c -> p <= 1 -> 0 < p + c * (1 - p).
Proof.
move=> c1 p1; have -> : p + c * (1 - p) = (c - 1) * (1 - p) + 1 by real_ring.
by rewrite spread_gt0 // subr_ge0.
Qed.

(* tramer-2015, Lemma 2 and Equation 9: q <= e^eps p / ((e^eps - 1) p + 1). *)

Theorem posterior_at_most c D A t S : 1 <= c -> 0 < seen D A S ->
  favours c D A t S -> posterior D A t S <= cap c (belief D t).
Proof.
move=> c1 s0 fav; rewrite /posterior /cap ler_pdivr_mulr // mulrAC.
rewrite ler_pdivl_mulr ?spread_gt0 ?belief_ge0 // (seen_split D A t S).
apply: (@le_by_difference _ _ _ (c * belief D t * doubt D A t S
    - (1 - belief D t) * joint D A t S)); first by rewrite subr_ge0.
by real_ring.
Qed.

(* From the other side: q >= p / (p + e^eps (1 - p)). *)

Theorem posterior_at_least c D A t S : 1 <= c -> 0 < seen D A S ->
  disfavours c D A t S -> floor c (belief D t) <= posterior D A t S.
Proof.
move=> c1 s0 dis; rewrite /posterior /floor ler_pdivr_mulr ?spread_below_gt0 ?belief_le1 //.
rewrite mulrAC ler_pdivl_mulr // (seen_split D A t S).
apply: (@le_by_difference _ _ _ (c * (1 - belief D t) * joint D A t S
    - belief D t * doubt D A t S)); first by rewrite subr_ge0.
by real_ring.
Qed.

(* tramer-2015, Theorem 2, for one prior: what the interval of beliefs gives. *)

Definition gamma_of c (a b : R) := Num.max ((c - 1) * b + 1) (c / ((c - 1) * a + 1)).

Definition between (a b : R) D t :=
  a <= belief D t <= b \/ belief D t = 0 \/ belief D t = 1.

Lemma gamma_ge1 c a b : 1 <= c -> 0 <= b -> 1 <= gamma_of c a b.
Proof.
by move=> c1 b0; rewrite le_maxr ler_addr mulr_ge0 // subr_ge0.
Qed.

Theorem beliefs_within_gamma c a b D A t S :
  1 <= c -> 0 <= a -> 0 <= b -> 0 < seen D A S -> between a b D t -> favours c D A t S ->
  posterior D A t S <= gamma_of c a b * belief D t /\
  (1 - belief D t) / gamma_of c a b <= 1 - posterior D A t S.
Proof.
move=> c1 a0 b0 s0 btw fav.
have g1 := gamma_ge1 a c1 b0; have g0 : 0 < gamma_of c a b by apply: lt_le_trans g1.
case: btw => [/andP[ap pb]|[p0|p1]]; last 2 first.
- rewrite /posterior (no_belief A S p0) p0 mul0r mulr0 !subr0 lexx; split=> //.
  by rewrite ler_pdivr_mulr // mul1r.
- rewrite posterior_compl // (no_doubt A S p1) p1 subrr !mul0r mulr1; split=> //.
  rewrite /posterior ler_pdivr_mulr // (seen_split D A t S) (no_doubt A S p1) addr0.
  by rewrite ler_pemull // joint_ge0.
have p0 : 0 <= belief D t := belief_ge0 D t.
have d0 := spread_gt0 c1 p0; have d0a := spread_gt0 c1 a0.
have le_cap := posterior_at_most c1 s0 fav.
have c0 : 0 <= c by apply: le_trans c1.
split.
  apply: le_trans le_cap _; rewrite /cap mulrAC ler_wpmul2r //.
  apply: (@le_trans _ _ (c / ((c - 1) * a + 1))); last by rewrite le_maxr lexx orbT.
  by rewrite ler_wpmul2l // lef_pinv ?posrE // ler_add2r ler_wpmul2l // subr_ge0.
apply: (@le_trans _ _ (1 - cap c (belief D t))); last by rewrite ler_add2l ler_opp2.
have -> : 1 - cap c (belief D t) = (1 - belief D t) / ((c - 1) * belief D t + 1).
  by rewrite /cap one_minus_div //; congr (_ / _); real_ring.
rewrite ler_wpmul2l ?subr_ge0 ?belief_le1 // lef_pinv ?posrE //.
by rewrite le_maxr ler_add2r ler_wpmul2l // subr_ge0.
Qed.

(* Over all beliefs gamma is e^eps: li-2013, Lemma 3.2. *)

Lemma gamma_of_all c : 1 <= c -> gamma_of c 0 1 = c.
Proof. by move=> c1; rewrite /gamma_of mulr1 subrK mulr0 add0r divr1 maxxx. Qed.

Lemma between_all D t : between 0 1 D t.
Proof. by left; rewrite belief_ge0 belief_le1. Qed.

Theorem favours_positive_membership c D A : 1 <= c ->
  (forall t S, favours c D A t S) -> positive_membership c D A.
Proof.
move=> c1 fav t S s0.
have := beliefs_within_gamma c1 (lexx 0) ler01 s0 (between_all D t) (fav t S).
by rewrite gamma_of_all.
Qed.

(* The same for doubts: absence takes the place of presence, 1 - p that of p. *)

Theorem doubts_within_gamma c a b D A t S :
  1 <= c -> a <= 1 -> b <= 1 -> 0 < seen D A S -> between a b D t -> disfavours c D A t S ->
  1 - posterior D A t S <= gamma_of c (1 - b) (1 - a) * (1 - belief D t) /\
  belief D t / gamma_of c (1 - b) (1 - a) <= posterior D A t S.
Proof.
move=> c1 a1 b1 s0 btw dis; set gamma := gamma_of _ _ _.
have a1' : 0 <= 1 - a by rewrite subr_ge0.
have b1' : 0 <= 1 - b by rewrite subr_ge0.
have g1 : 1 <= gamma := gamma_ge1 (1 - b) c1 a1'.
have g0 : 0 < gamma by apply: lt_le_trans g1.
case: btw => [/andP[ap pb]|[p0|p1]]; last 2 first.
- rewrite /posterior (no_belief A S p0) p0 !mul0r !subr0 mulr1; split=> //.
- rewrite posterior_compl // /posterior (no_doubt A S p1) p1 subrr mul0r mulr0 lexx; split=> //.
  rewrite (seen_split D A t S) (no_doubt A S p1) addr0 divff ?ler_pdivr_mulr ?mul1r //.
  by move: s0; rewrite (seen_split D A t S) (no_doubt A S p1) addr0 => /lt0r_neq0.
have p1 : 0 <= 1 - belief D t by rewrite subr_ge0 belief_le1.
have d0 := spread_gt0 c1 p1; have d0b := spread_gt0 c1 b1'.
have c0 : 0 <= c by apply: le_trans c1.
have := posterior_at_least c1 s0 dis.
have -> : floor c (belief D t) = belief D t / ((c - 1) * (1 - belief D t) + 1).
  by rewrite /floor; congr (_ / _); real_ring.
move=> le_post; split; last first.
  apply: le_trans le_post; rewrite ler_wpmul2l ?belief_ge0 // lef_pinv ?posrE //.
  by rewrite le_maxr ler_add2r ler_wpmul2l ?subr_ge0 // ler_add2l ler_opp2 ap.
apply: (@le_trans _ _ (1 - belief D t / ((c - 1) * (1 - belief D t) + 1))).
  by rewrite ler_add2l ler_opp2.
have -> : 1 - belief D t / ((c - 1) * (1 - belief D t) + 1) =
    c / ((c - 1) * (1 - belief D t) + 1) * (1 - belief D t).
  by rewrite one_minus_div // [RHS]mulrAC; congr (_ / _); real_ring.
rewrite ler_wpmul2r //; apply: (@le_trans _ _ (c / ((c - 1) * (1 - b) + 1))).
  rewrite ler_wpmul2l // lef_pinv ?posrE // ler_add2r ler_wpmul2l ?subr_ge0 //.
  by rewrite ler_add2l ler_opp2 pb.
by rewrite le_maxr lexx orbT.
Qed.

End Posteriors.
