From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model beliefs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*    Add-remove DP and beliefs about mutually independent memberships        *)
(*                                                                            *)
(* li-2013, Theorem 4.5: the positive half of add-remove DP is positive       *)
(* membership privacy over D_I, and the negative half negative membership     *)
(* privacy. The way from DP needs less than D_I: t's membership has to be     *)
(* independent of the others', which may be correlated among themselves.      *)
(******************************************************************************)

Section Independence.
Variables (R : realFieldType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (A : mechanism R I O) (D : prior R I) (S : {set O}) (T X : {set I}) (t : I).
Implicit Types (p : I -> R) (c : R).

Definition probabilities p := forall i, 0 <= p i <= 1.

Definition weight p T : R := \prod_i (if i \in T then p i else 1 - p i).

(* D_I: whether somebody is in the data is decided for each by a coin of their own. *)
Definition independent D := exists2 p, probabilities p & forall T, D T = weight p T.

Definition independent_of_rest D t :=
  exists pt, forall T, t \notin T -> (1 - pt) * D (t |: T) = pt * D T.

Lemma weight_ge0 p T : probabilities p -> 0 <= weight p T.
Proof.
move=> pr; apply: prodr_ge0 => i _; have /andP[p0 p1] := pr i.
by case: ifP => // _; rewrite subr_ge0.
Qed.

Lemma weight_sum p : \sum_(T : {set I}) weight p T = 1.
Proof.
have -> : 1 = \prod_(i : I) \sum_(b : bool) (if b then p i else 1 - p i) :> R.
  by rewrite big1 // => i _; rewrite big_bool /= addrC subrK.
rewrite (bigA_distr_bigA (fun i (b : bool) => if b then p i else 1 - p i)) /=.
rewrite [RHS](reindex (fun T : {set I} => [ffun i => i \in T])) /=; last first.
  exists (fun f : {ffun I -> bool} => [set i | f i]) => [T _|f _].
    by apply/setP => i; rewrite inE ffunE.
  by apply/ffunP => i; rewrite ffunE inE.
by apply: eq_bigr => T _; apply: eq_bigr => i _; rewrite ffunE.
Qed.

Definition coins p (pr : probabilities p) : prior R I :=
  Law (fun T => weight_ge0 T pr) (weight_sum p).

Lemma coins_independent p (pr : probabilities p) : independent (coins pr).
Proof. by exists p. Qed.

Lemma weight_with p t T : t \notin T ->
  weight p (t |: T) = p t * \prod_(i | i != t) (if i \in T then p i else 1 - p i).
Proof.
move=> tT; rewrite /weight (bigD1 t) //= setU11; congr (_ * _).
by apply: eq_bigr => i it; rewrite !inE (negbTE it).
Qed.

Lemma weight_without p t T : t \notin T ->
  weight p T = (1 - p t) * \prod_(i | i != t) (if i \in T then p i else 1 - p i).
Proof. by move=> tT; rewrite /weight (bigD1 t) //= (negbTE tT). Qed.

Lemma independent_rest D t : independent D -> independent_of_rest D t.
Proof.
move=> [p _ Dp]; exists (p t) => T tT.
by rewrite !Dp (weight_with _ tT) (weight_without _ tT) mulrCA.
Qed.

Lemma rest_belief D t : independent_of_rest D t ->
  forall T, t \notin T -> (1 - belief D t) * D (t |: T) = belief D t * D T.
Proof.
move=> [pt h]; suff -> : belief D t = pt by [].
have e : (1 - pt) * belief D t = pt * (1 - belief D t).
  rewrite belief_compl /belief sum_with !mulr_sumr.
  by apply: eq_bigr => T tT; rewrite h.
have : (1 - pt) * belief D t - pt * (1 - belief D t) = 0 by rewrite e subrr.
have -> : (1 - pt) * belief D t - pt * (1 - belief D t) = belief D t - pt by real_ring.
by move=> /eqP; rewrite subr_eq0 => /eqP.
Qed.

Theorem positive_half_favours c D A t S :
  positive_half c A -> independent_of_rest D t -> favours c D A t S.
Proof.
move=> half /rest_belief h; rewrite /favours /joint /doubt sum_with.
have := belief_ge0 D t; move: (belief D t) h => b h b0; rewrite !mulr_sumr.
apply: ler_sum => T tT; rewrite mulrA h //.
have -> : c * b * (D T * Pr (A T) S) = b * D T * (c * Pr (A T) S) by real_ring.
by rewrite ler_wpmul2l ?mulr_ge0 ?mass_ge0 ?half.
Qed.

Theorem negative_half_disfavours c D A t S :
  negative_half c A -> independent_of_rest D t -> disfavours c D A t S.
Proof.
move=> half /rest_belief h; rewrite /disfavours /joint /doubt sum_with.
have := belief_le1 D t; move: (belief D t) h => b h b1; rewrite !mulr_sumr.
apply: ler_sum => T tT; rewrite mulrA -h //.
have -> : c * (1 - b) * (D (t |: T) * Pr (A (t |: T)) S) =
  (1 - b) * D (t |: T) * (c * Pr (A (t |: T)) S) by real_ring.
by rewrite ler_wpmul2l ?mulr_ge0 ?mass_ge0 ?subr_ge0 ?half.
Qed.

(* The converse: certainty about all others, and a belief in t as small as one likes. *)

Section OneUncertain.
Variables (t : I) (T : {set I}) (q : R).
Hypotheses (tT : t \notin T) (q01 : 0 <= q <= 1).

Definition one_uncertain i : R := if i == t then q else (i \in T)%:R.

Lemma one_uncertain_probabilities : probabilities one_uncertain.
Proof. by move=> i; rewrite /one_uncertain; case: ifP => // _; case: (i \in T); rewrite ?lexx ?ler01. Qed.

Let D := coins one_uncertain_probabilities.

Lemma one_uncertain_weight X : t \notin X ->
  \prod_(i | i != t) (if i \in X then one_uncertain i else 1 - one_uncertain i) = (X == T)%:R :> R.
Proof.
move=> tX; case: eqP => [->|/eqP neq].
  rewrite mulr1n; apply: big1 => i it; rewrite /one_uncertain (negbTE it).
  by case: (i \in T); rewrite ?mulr1n ?mulr0n ?subr0.
have [i] : exists i, (i \in X) != (i \in T).
  apply/existsP; apply: contraR neq; rewrite negb_exists => /forallP e.
  by apply/eqP/setP => i; have := e i; rewrite negbK => /eqP.
move=> neqi; have it : i != t.
  by apply: contraNneq neqi => ->; rewrite (negbTE tX) (negbTE tT).
rewrite (bigD1 i) //= /one_uncertain (negbTE it).
by case: (i \in X) neqi; case: (i \in T) => //= _; rewrite ?mulr1n ?subrr mul0r.
Qed.

Lemma sum_at (F : {set I} -> R) :
  \sum_(X : {set I} | t \notin X) (X == T)%:R * F X = F T.
Proof.
rewrite (bigD1 T) //= eqxx mul1r big1 ?addr0 // => X /andP[_ /negbTE ->].
by rewrite mul0r.
Qed.

Lemma joint_one_uncertain A S : joint D A t S = q * Pr (A (t |: T)) S.
Proof.
rewrite /joint sum_with; apply: etrans (sum_at (fun X => q * Pr (A (t |: X)) S)).
apply: eq_bigr => X tX; rewrite /= (weight_with _ tX) one_uncertain_weight //.
by rewrite {1}/one_uncertain eqxx; real_ring.
Qed.

Lemma doubt_one_uncertain A S : doubt D A t S = (1 - q) * Pr (A T) S.
Proof.
rewrite /doubt; apply: etrans (sum_at (fun X => (1 - q) * Pr (A X) S)).
apply: eq_bigr => X tX; rewrite /= (weight_without _ tX) one_uncertain_weight //.
by rewrite {1}/one_uncertain eqxx; real_ring.
Qed.

Lemma belief_one_uncertain : belief D t = q.
Proof.
rewrite /belief sum_with; apply: etrans (sum_at (fun _ => q)).
apply: eq_bigr => X tX; rewrite /= (weight_with _ tX) one_uncertain_weight //.
by rewrite {1}/one_uncertain eqxx; real_ring.
Qed.

End OneUncertain.

(* How small a belief shows that a ratio is above c: li-2013, Theorem 3.6. *)

Lemma small_belief (c x y : R) : 1 <= c -> 0 <= y -> 0 <= x ->
  (forall q, 0 < q -> q <= 1 -> 0 < q * x + (1 - q) * y ->
     q * x / (q * x + (1 - q) * y) <= c * q) -> x <= c * y.
Proof.
move=> c1 y0 x0 h; rewrite leNgt; apply/negP => lt.
have c0 : 0 < c by apply: lt_le_trans c1.
have cy0 : 0 <= c * y by rewrite mulr_ge0 // ltW.
have xpos : 0 < x by apply: le_lt_trans lt.
pose q := (x - c * y) / (2%:R * c * x).
have den : 0 < 2%:R * c * x by rewrite !mulr_gt0 ?ltr0n.
have q0 : 0 < q by rewrite divr_gt0 // subr_gt0.
have q1 : q <= 1.
  rewrite /q ler_pdivr_mulr // mul1r; apply: (@le_trans _ _ x).
    by rewrite ler_subl_addr ler_addl.
  apply: (@le_by_difference _ _ _ (x * (c - 1) + c * x)); last by real_ring.
  by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 // ltW.
have s0 : 0 < q * x + (1 - q) * y by apply: ltr_paddr; [rewrite mulr_ge0 ?subr_ge0 | rewrite mulr_gt0].
have := h q q0 q1 s0; rewrite ler_pdivr_mulr //.
have -> : c * q * (q * x + (1 - q) * y) = q * (c * (q * x + (1 - q) * y)) by real_ring.
rewrite (ler_pmul2l q0) => le.
have qx : c * (q * x) = (x - c * y) / 2%:R.
  rewrite /q; have n2 : 2%:R != 0 :> R by rewrite pnatr_eq0.
  apply: (mulIf n2); rewrite divfK //.
  have -> : c * ((x - c * y) / (2%:R * c * x) * x) * 2%:R =
    (x - c * y) / (2%:R * c * x) * (2%:R * c * x) by real_ring.
  by rewrite divfK ?lt0r_neq0.
move: le; apply/negP; rewrite -ltNge.
have -> : c * (q * x + (1 - q) * y) = c * (q * x) + c * y - c * q * y by real_ring.
rewrite qx; apply: (@le_lt_trans _ _ ((x - c * y) / 2%:R + c * y)).
  by rewrite ler_subl_addr ler_addl mulr_ge0 // mulr_ge0 // ltW.
rewrite -ltr_subr_addr ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl subr_gt0 //.
Qed.

End Independence.

(* li-2013, Theorem 4.5. *)

Section Theorem_4_5.
Variables (R : realFieldType) (I O : finType).
Variables (A : mechanism R I O) (c : R).
Hypothesis c1 : 1 <= c.

Theorem positive_half_is_positive_membership :
  positive_half c A <-> forall D, independent D -> positive_membership c D A.
Proof.
split=> [half D ind | pmp T t S tT].
  by apply: favours_positive_membership => // t S; apply: positive_half_favours (independent_rest t ind).
apply: small_belief; rewrite ?Pr_ge0 // => q q0 q1 s0.
have q01 : 0 <= q <= 1 by rewrite ltW.
have := pmp _ (coins_independent (one_uncertain_probabilities t T q01)) t S.
rewrite /posterior (seen_split _ A t S) joint_one_uncertain // doubt_one_uncertain //.
by rewrite belief_one_uncertain // => /(_ s0) [].
Qed.

Theorem negative_half_is_negative_membership :
  negative_half c A <-> forall D, independent D -> negative_membership c D A.
Proof.
split=> [half D ind t S s0 | nmp T t S tT].
  have := @doubts_within_gamma R I O c 0 1 D A t S c1 ler01 (lexx 1) s0 (between_all D t).
  rewrite subr0 subrr gamma_of_all //; apply.
  exact: negative_half_disfavours (independent_rest t ind).
apply: small_belief; rewrite ?Pr_ge0 // => q q0 q1 s0.
have q01 : 0 <= 1 - q <= 1 by rewrite subr_ge0 q1 ler_subl_addr ler_addl ltW.
have := nmp _ (coins_independent (one_uncertain_probabilities t T q01)) t S.
rewrite /posterior (seen_split _ A t S) joint_one_uncertain // doubt_one_uncertain //.
rewrite belief_one_uncertain // !subKr addrC => /(_ s0) [+ _].
by rewrite one_minus_div // addrK.
Qed.

End Theorem_4_5.

Print Assumptions positive_half_is_positive_membership.
Print Assumptions negative_half_is_negative_membership.
