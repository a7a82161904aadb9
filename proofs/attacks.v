From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*            (eps, delta): attacks, rare outputs, processing, groups         *)
(*                                                                            *)
(*    close c delta P Q == P(S) <= c Q(S) + delta for every event S           *)
(*           power P a  == how often the attack a says yes under P; an attack *)
(*                         may toss coins: a(o) is its probability of a yes   *)
(*      advantage P Q a == true positives minus false positives               *)
(*        success P Q a == how often it is right if both are equally likely   *)
(*          mixture W P == the law P i, with i drawn from W                   *)
(*          process K P == an output of P, processed at random by K           *)
(******************************************************************************)

Section TwoLaws.
Variables (R : realFieldType) (O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (P Q : law R O) (S : {set O}) (a : O -> R) (c delta : R).

Definition close c delta P Q := forall S, Pr P S <= c * Pr Q S + delta.

Definition attack a := forall o, 0 <= a o <= 1.
Definition power P a : R := \sum_o P o * a o.
Definition advantage P Q a := power P a - power Q a.
Definition success P Q a := (power P a + (1 - power Q a)) / 2%:R.

Lemma close_power c delta P Q a : 0 <= c ->
  close c delta P Q -> attack a -> power P a <= c * power Q a + delta.
Proof.
move=> c0 cl at_; rewrite -ler_subl_addl /power mulr_sumr -sumrB.
pose S := [set o | 0 < P o - c * Q o].
apply: (@le_trans _ _ (\sum_(o in S) (P o - c * Q o))).
  rewrite [X in _ <= X]big_mkcond; apply: ler_sum => o _.
  have -> : P o * a o - c * (Q o * a o) = (P o - c * Q o) * a o by real_ring.
  have /andP[a0 a1] := at_ o; rewrite inE; case: ifP => [pos|/negbT].
    by rewrite ler_pimulr // ltW.
  by rewrite -leNgt => neg; rewrite mulr_le0_ge0.
rewrite sumrB -mulr_sumr ler_subl_addl; exact: cl.
Qed.

Lemma power_compl P a : power P (fun o => 1 - a o) = 1 - power P a.
Proof.
rewrite /power -[X in X - _](mass_sum P) -sumrB; apply: eq_bigr => o _.
by real_ring.
Qed.

Lemma attack_compl a : attack a -> attack (fun o => 1 - a o).
Proof. by move=> at_ o; have /andP[a0 a1] := at_ o; rewrite subr_ge0 a1 ler_subl_addr ler_addl. Qed.

(* humphries-2020, Theorem 3. *)
Theorem advantage_at_most c delta P Q a : 1 <= c ->
  close c delta P Q -> close c delta Q P -> attack a ->
  advantage P Q a <= (c - 1 + 2%:R * delta) / (c + 1).
Proof.
move=> c1 pq qp at_; have c0 : 0 <= c by apply: le_trans c1.
have d0 : 0 < c + 1 by rewrite ltr_spaddr ?ltr01.
have yes := close_power c0 pq at_; have := close_power c0 qp (attack_compl at_).
rewrite !power_compl => no; rewrite /advantage ler_pdivl_mulr //.
apply: (@le_by_difference _ _ _ ((c * power Q a + delta - power P a)
   + (c * (1 - power P a) + delta - (1 - power Q a)))); last by real_ring.
by rewrite addr_ge0 // subr_ge0.
Qed.

(* kairouz-oh-viswanath-2015, Theorem 2.1; lowy-2024, Lemma 6, for delta = 0. *)
Theorem success_at_most c delta P Q a : 1 <= c ->
  close c delta P Q -> close c delta Q P -> attack a ->
  success P Q a <= (c + delta) / (c + 1).
Proof.
move=> c1 pq qp at_; have d0 : 0 < c + 1 by rewrite ltr_spaddr ?ltr01 ?(le_trans _ c1).
have := advantage_at_most c1 pq qp at_; rewrite /advantage => le.
rewrite /success ler_pdivr_mulr ?ltr0n //.
have n0 := lt0r_neq0 d0.
have -> : (c + delta) / (c + 1) * 2%:R = 1 + (c - 1 + 2%:R * delta) / (c + 1).
  apply: (@etrans _ _ ((c + 1)^-1 * (c + 1) + (c - 1 + 2%:R * delta) / (c + 1))).
    by real_ring.
  by rewrite mulVf.
have -> : power P a + (1 - power Q a) = 1 + (power P a - power Q a) by real_ring.
by rewrite ler_add2l.
Qed.

(* An advantage is a success at prior 1/2, on another scale: yeom-2018, Definition 4. *)
Theorem success_of_advantage P Q a : success P Q a = (1 + advantage P Q a) / 2%:R.
Proof. by rewrite /success /advantage; congr (_ / _); real_ring. Qed.

(* The hockey-stick tail: outputs that favour P more than k-fold are rare. *)
Theorem rare_outputs c delta k P Q : 0 <= c -> 0 < k -> close c delta P Q ->
  Pr P [set o | k * Q o < P o] * (1 - c / k) <= delta.
Proof.
move=> c0 k0 cl; set S := [set o | _].
have cheap : k * Pr Q S <= Pr P S.
  by rewrite /Pr mulr_sumr; apply: ler_sum => o; rewrite inE => /ltW.
have := cl S; rewrite -ler_subl_addl => le; apply: le_trans le.
rewrite mulrBr mulr1 ler_add2l ler_opp2 mulrCA ler_wpmul2l // ler_pdivl_mulr //.
by rewrite mulrC.
Qed.

(* Conversely: a ratio of at most c but for outputs of probability X. *)
Theorem but_for_rare_outputs c X (B : {set O}) P Q : 0 <= c -> Pr P B <= X ->
  (forall o, o \notin B -> P o <= c * Q o) -> close c X P Q.
Proof.
move=> c0 rare le S; rewrite /Pr (bigID (mem B)) /= addrC; apply: ler_add; last first.
  apply: le_trans rare; rewrite /Pr big_mkcond [X in _ <= X]big_mkcond.
  apply: ler_sum => o _; case: (o \in B); last by rewrite andbF.
  by rewrite andbT; case: (o \in S) => //; apply: mass_ge0.
apply: (@le_trans _ _ (\sum_(o in S | o \notin B) c * Q o)).
  by apply: ler_sum => o /andP[_ oB]; apply: le.
rewrite -mulr_sumr ler_wpmul2l // [X in _ <= X](bigID (mem B)) /= ler_addr.
by apply: sumr_ge0 => o _; apply: mass_ge0.
Qed.

End TwoLaws.

Section Attained.
Variables (R : realFieldType) (c : R).
Hypothesis c1 : 1 <= c.
Add Ring real_ring : (real_ring_laws R).

Let d0 : 0 < c + 1. Proof. by rewrite ltr_spaddr ?ltr01 ?(le_trans _ c1). Qed.

(* A coin of odds c : 1, read one way or the other. *)
Definition odds (b o : bool) : R := (if b == o then c else 1) / (c + 1).

Lemma odds_ge0 b o : 0 <= odds b o.
Proof.
by rewrite /odds divr_ge0 ?(ltW d0) //; case: ifP => _; rewrite ?ler01 // (le_trans _ c1).
Qed.

Lemma odds_sum b : \sum_o odds b o = 1.
Proof.
by rewrite big_bool /odds; case: b; rewrite /= -mulrDl ?[1 + c]addrC divff ?lt0r_neq0.
Qed.

Definition odds_law b : law R [finType of bool] := Law (odds_ge0 b) (odds_sum b).

Lemma odds_close b b' : close c 0 (odds_law b) (odds_law b').
Proof.
move=> S; rewrite addr0 /Pr mulr_sumr; apply: ler_sum => o _ /=.
have c0 : 0 <= c by apply: le_trans c1.
have cc : c <= c * c by rewrite ler_pemull.
have c2 : 1 <= c * c by apply: le_trans cc.
rewrite /odds mulrA ler_pmul2r ?invr_gt0 //.
by case: ifP => _; case: ifP => _; rewrite ?mulr1.
Qed.

Theorem advantage_attained :
  advantage (odds_law true) (odds_law false) (fun o => o%:R) = (c - 1) / (c + 1).
Proof.
rewrite /advantage /power !big_bool /= /odds /= mulr1n mulr0n.
by real_ring.
Qed.

End Attained.

Section Mixtures.
Variables (R : realFieldType) (J O : finType) (W : law R J).

Lemma mixture_ge0 (P : J -> law R O) o : 0 <= \sum_j W j * P j o.
Proof. by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?mass_ge0. Qed.

Lemma mixture_sum (P : J -> law R O) : \sum_o \sum_j W j * P j o = 1.
Proof.
rewrite exchange_big -[RHS](mass_sum W); apply: eq_bigr => j _.
by rewrite -mulr_sumr mass_sum mulr1.
Qed.

Definition mixture P : law R O := Law (mixture_ge0 P) (mixture_sum P).

Lemma Pr_mixture P S : Pr (mixture P) S = \sum_j W j * Pr (P j) S.
Proof. by rewrite /Pr exchange_big; apply: eq_bigr => j _; rewrite mulr_sumr. Qed.

(* What an adversary averages over stays as close: "likelihood ratios survive averaging". *)
Theorem close_mixture c delta P Q :
  (forall j, close c delta (P j) (Q j)) -> close c delta (mixture P) (mixture Q).
Proof.
move=> cl S; rewrite !Pr_mixture mulr_sumr.
have -> : delta = \sum_j W j * delta by rewrite -mulr_suml mass_sum mul1r.
rewrite -big_split; apply: ler_sum => j _ /=.
by rewrite mulrCA -mulrDr ler_wpmul2l ?mass_ge0 ?cl.
Qed.

End Mixtures.

Section Processing.
Variables (R : realFieldType) (O O' : finType).

Definition process (K : O -> law R O') (P : law R O) : law R O' := mixture P K.

Theorem close_process c delta K P Q : 0 <= c ->
  close c delta P Q -> close c delta (process K P) (process K Q).
Proof.
move=> c0 cl S; rewrite !Pr_mixture; apply: close_power => // o.
by rewrite Pr_ge0 Pr_le1.
Qed.

End Processing.

Section Groups.
Variables (R : realFieldType) (O : finType).

(* k neighbours in a row: c^k, and delta (1 + c + ... + c^(k-1)). *)
Theorem close_group c delta (P : nat -> law R O) k : 0 <= c ->
  (forall i, (i < k)%N -> close c delta (P i) (P i.+1)) ->
  close (c ^+ k) (delta * \sum_(i < k) c ^+ i) (P 0%N) (P k).
Proof.
move=> c0; elim: k => [|k ih] cl S; first by rewrite expr0 mul1r big_ord0 mulr0 addr0.
apply: le_trans (ih (fun i ik => cl i (leqW ik)) S) _.
rewrite big_ord_recr /= mulrDr addrA addrAC ler_add2r exprSr -mulrA [delta * _]mulrC -mulrDr.
by rewrite ler_wpmul2l ?exprn_ge0 // cl.
Qed.

(* dwork-roth-2014, groups of two: replace-one is to remove one and to add one. *)
Theorem close_two c delta (P Q S : law R O) : 0 <= c ->
  close c delta P Q -> close c delta Q S -> close (c ^+ 2) ((1 + c) * delta) P S.
Proof.
move=> c0 pq qs; have := @close_group c delta (nth P [:: P; Q; S]) 2%N c0.
by rewrite 2!big_ord_recr big_ord0 /= expr0 expr1 add0r mulrC; apply; case=> [|[]].
Qed.

End Groups.

Print Assumptions advantage_at_most.
Print Assumptions success_at_most.
Print Assumptions success_of_advantage.
Print Assumptions advantage_attained.
Print Assumptions rare_outputs.
Print Assumptions but_for_rare_outputs.
Print Assumptions close_mixture.
Print Assumptions close_process.
Print Assumptions close_group.
Print Assumptions close_two.
