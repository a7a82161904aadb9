From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*                                 The model                                  *)
(*                                                                            *)
(* There are finitely many entities and finitely many outputs. A data set is  *)
(* a set of entities, a mechanism gives each data set a law of outputs, and   *)
(* an adversary's prior is a law of data sets, of whatever kind. Privacy loss *)
(* is stated by its ratio c = e^eps, so that nothing here needs an            *)
(* exponential: R is any ordered field.                                       *)
(*                                                                            *)
(*           law O == probabilities of the elements of O                      *)
(*          Pr P S == probability of the event S under P                      *)
(*   mechanism I O == a law of outputs for each data set of entities of I     *)
(*    belief D t   == the adversary's prior probability that t is in the data *)
(*    seen D A S   == probability of S, over the prior and the noise          *)
(*  joint D A t S  == probability that t is in the data and S happens         *)
(*   doubt D A t S == probability that t is not, and S happens                *)
(* posterior D A t S == probability that t is in the data, given S            *)
(******************************************************************************)

Section Laws.
Variables (R : realFieldType) (O : finType).

Record law := Law {
  mass :> O -> R;
  mass_ge0 : forall o, 0 <= mass o;
  mass_sum : \sum_o mass o = 1
}.

Definition Pr (P : law) (S : {set O}) : R := \sum_(o in S) P o.

Lemma Pr_ge0 P S : 0 <= Pr P S.
Proof. by apply: sumr_ge0 => o _; apply: mass_ge0. Qed.

Lemma Pr_compl P S : Pr P (~: S) = 1 - Pr P S.
Proof.
rewrite -(mass_sum P) [X in X - _](bigID (mem S)) /= addrC addKr.
by apply: eq_bigl => o; rewrite inE.
Qed.

Lemma Pr_le1 P S : Pr P S <= 1.
Proof. by rewrite -subr_ge0 -Pr_compl Pr_ge0. Qed.

Lemma Pr_set1 P o : Pr P [set o] = P o.
Proof. by rewrite /Pr big_set1. Qed.

End Laws.

Section Beliefs.
Variables (R : realFieldType) (I O : finType).

Definition mechanism := {set I} -> law R O.
Definition prior := law R [finType of {set I}].

Implicit Types (A : mechanism) (D : prior) (S : {set O}) (T : {set I}) (t u : I).

(* Neighbours of the two kinds; c stands for e^eps. *)

Definition positive_half (c : R) A :=
  forall T t S, t \notin T -> Pr (A (t |: T)) S <= c * Pr (A T) S.

Definition negative_half (c : R) A :=
  forall T t S, t \notin T -> Pr (A T) S <= c * Pr (A (t |: T)) S.

Definition add_remove_dp (c : R) A := positive_half c A /\ negative_half c A.

Definition replace_one_dp (c : R) A :=
  forall T t u S, t \notin T -> u \notin T ->
    Pr (A (t |: T)) S <= c * Pr (A (u |: T)) S.

(* What is believed, before and after. *)

Definition belief D t : R := \sum_(T : {set I} | t \in T) D T.
Definition seen D A S : R := \sum_(T : {set I}) D T * Pr (A T) S.
Definition joint D A t S : R := \sum_(T : {set I} | t \in T) D T * Pr (A T) S.
Definition doubt D A t S : R := \sum_(T : {set I} | t \notin T) D T * Pr (A T) S.
Definition posterior D A t S : R := joint D A t S / seen D A S.

(* li-2013, Definition 3.1, for one prior and all events and entities. *)

Definition positive_membership (gamma : R) D A :=
  forall t S, 0 < seen D A S ->
    posterior D A t S <= gamma * belief D t /\
    (1 - belief D t) / gamma <= 1 - posterior D A t S.

Definition negative_membership (gamma : R) D A :=
  forall t S, 0 < seen D A S ->
    1 - posterior D A t S <= gamma * (1 - belief D t) /\
    belief D t / gamma <= posterior D A t S.

Lemma belief_ge0 D t : 0 <= belief D t.
Proof. by apply: sumr_ge0 => T _; apply: mass_ge0. Qed.

Lemma belief_compl D t : 1 - belief D t = \sum_(T : {set I} | t \notin T) D T.
Proof. by rewrite -(mass_sum D) [X in X - _](bigID (fun T => t \in T)) /= addrC addKr. Qed.

Lemma belief_le1 D t : belief D t <= 1.
Proof. by rewrite -subr_ge0 belief_compl; apply: sumr_ge0 => T _; apply: mass_ge0. Qed.

Lemma joint_ge0 D A t S : 0 <= joint D A t S.
Proof. by apply: sumr_ge0 => T _; rewrite mulr_ge0 ?mass_ge0 ?Pr_ge0. Qed.

Lemma doubt_ge0 D A t S : 0 <= doubt D A t S.
Proof. by apply: sumr_ge0 => T _; rewrite mulr_ge0 ?mass_ge0 ?Pr_ge0. Qed.

Lemma seen_split D A t S : seen D A S = joint D A t S + doubt D A t S.
Proof. exact: bigID. Qed.

Lemma posterior_compl D A t S : 0 < seen D A S ->
  1 - posterior D A t S = doubt D A t S / seen D A S.
Proof.
move=> s0; rewrite /posterior -[1](divff (lt0r_neq0 s0)) -mulrBl.
by rewrite {1}(seen_split D A t S) addrAC subrr add0r.
Qed.

(* Every data set with t is one without t, and t. *)

Lemma sum_with (t : I) (F : {set I} -> R) :
  \sum_(T : {set I} | t \in T) F T = \sum_(T : {set I} | t \notin T) F (t |: T).
Proof.
rewrite (reindex_onto (fun T => t |: T) (fun T => T :\ t)) /=; last first.
  by move=> T tT; rewrite setD1K.
apply: eq_bigl => T; rewrite setU11 /=.
apply/eqP/idP => [<-|tT]; first by rewrite !inE eqxx.
by rewrite setU1K.
Qed.

Lemma no_belief D A t S : belief D t = 0 -> joint D A t S = 0.
Proof.
move=> b0; apply: big1 => T tT.
have := b0; rewrite /belief => /eqP; rewrite psumr_eq0; last by move=> *; apply: mass_ge0.
by move=> /allP /(_ T); rewrite mem_index_enum tT => /(_ isT) /eqP ->; rewrite mul0r.
Qed.

Lemma no_doubt D A t S : belief D t = 1 -> doubt D A t S = 0.
Proof.
move=> b1; apply: big1 => T tT.
have := belief_compl D t; rewrite b1 subrr => /esym /eqP.
rewrite psumr_eq0; last by move=> *; apply: mass_ge0.
by move=> /allP /(_ T); rewrite mem_index_enum tT => /(_ isT) /eqP ->; rewrite mul0r.
Qed.

End Beliefs.
