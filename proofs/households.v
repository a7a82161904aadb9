From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model beliefs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*                 Households whose memberships are tied                      *)
(*                                                                            *)
(* All entities are one household: t and the others, whose memberships depend *)
(* on t's. With z = e^eps of one person and T = z^m for m others, the         *)
(* likelihood ratio of t's presence is at most                                *)
(*   z T                                      tied in any way                 *)
(*   z (1 - c + c T)                          laws of the others c apart      *)
(*   z ((1 + sqrt (W T))/(sqrt W + sqrt T))^2 odds ratios that multiply to W  *)
(* and so is its inverse. "favours" and "disfavours" say it without dividing. *)
(******************************************************************************)

Section Arithmetic.
Variable R : realFieldType.
Add Ring real_ring : (real_ring_laws R).

Lemma gap (x y d : R) : x < y -> d = y - x -> 0 < d.
Proof. by move=> lt ->; rewrite subr_gt0. Qed.

(* Two numbers u = E[L g] and l m = E[L] E[g], if L and g have least values a *)
(* and b and greatest ones at most s^2 a and t^2 b.                           *)

Lemma means_of_a_product (s t a b u l m : R) :
  1 <= s -> 1 <= t -> 0 <= a -> 0 <= b -> 0 <= l -> b <= m -> m <= t * t * b ->
  u <= s * s * a * m + b * l - s * s * a * b ->
  u <= t * t * b * l + a * m - t * t * a * b ->
  (s + t) * (s + t) * u <= (1 + s * t) * (1 + s * t) * (l * m).
Proof.
move=> s1 t1 a0 b0 l0 bm mb u1 u2; rewrite leNgt; apply/negP => lt.
have s0 : 0 <= s by apply: le_trans s1.
have t0 : 0 <= t by apply: le_trans t1.
have sq1 (x : R) : 1 <= x -> 0 <= x * x - 1.
  move=> x1; rewrite subr_ge0; apply: (le_trans x1).
  by rewrite ler_pemull // (le_trans ler01 x1).
have d0 : 0 <= (s + t) * (s + t) by rewrite mulr_ge0 // addr_ge0.
have n0 : 0 <= (1 + s * t) * (1 + s * t).
  by apply: mulr_ge0; rewrite addr_ge0 ?ler01 ?mulr_ge0.
set d := (s + t) * (s + t) in d0 lt *; set n := (1 + s * t) * (1 + s * t) in n0 lt *.
have w0 : 0 <= n * m - d * b.
  have -> : n * m - d * b = n * (m - b) + (s * s - 1) * (t * t - 1) * b.
    by rewrite /n /d; real_ring.
  by apply: addr_ge0; apply: mulr_ge0 => //; rewrite ?subr_ge0 ?mulr_ge0 ?sq1.
have low : 0 < d * (s * s * a) * (m - b) - l * (n * m - d * b).
  by apply: (gap (lt_le_trans lt (ler_wpmul2l d0 u1))); real_ring.
have high : 0 < l * (d * (t * t * b) - n * m) - d * a * (t * t * b - m).
  by apply: (gap (lt_le_trans lt (ler_wpmul2l d0 u2))); real_ring.
have v0 : 0 < d * (t * t * b) - n * m.
  have lhs : 0 <= d * a * (t * t * b - m) by apply: mulr_ge0; [apply: mulr_ge0 | rewrite subr_ge0].
  move: (high); rewrite subr_gt0 => /(le_lt_trans lhs).
  move: l0; rewrite le_eqVlt => /orP[/eqP <-|lpos]; first by rewrite mul0r ltxx.
  by rewrite pmulr_rgt0.
have one := mulr_gt0 low v0; have two := mulr_ge0 (ltW high) w0.
have : 0 < d * a * (s * s * (m - b) * (d * (t * t * b) - n * m) -
    (t * t * b - m) * (n * m - d * b)).
  apply: (gap (ltr_paddr two one)); by real_ring.
have -> : s * s * (m - b) * (d * (t * t * b) - n * m) - (t * t * b - m) * (n * m - d * b) =
    - ((s * s - 1) * (((1 + s * t) * m - (s + t) * (t * b)) *
      ((1 + s * t) * m - (s + t) * (t * b)))).
  by rewrite /n /d; real_ring.
rewrite mulrN oppr_gt0; apply/negP; rewrite -leNgt.
apply: mulr_ge0; first exact: mulr_ge0.
by apply: mulr_ge0; [exact: sq1 | rewrite -expr2 sqr_ge0].
Qed.

(* Weights 1 and 1/(s t) attain it, with L = 1, s^2 and g = 1, t^2: E[1], E[L], *)
(* E[g] and E[L g] are the four sums here over s t.                            *)

Lemma odds_ratio_attained (s t : R) :
  (s + t) * (s + t) * ((s * t + s * s * (t * t)) * (s * t + 1)) =
  (1 + s * t) * (1 + s * t) * ((s * t + s * s) * (s * t + t * t)).
Proof. by real_ring. Qed.

End Arithmetic.

Section Household.
Variables (R : realFieldType) (I O : finType) (t : I).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (A : mechanism R I O) (D : prior R I) (S : {set O}) (T : {set I}).
Implicit Types (F G p q g : {set I} -> R).

Let others := #|I|.-1.

(* --- What changes by a factor of c at most with one of the others changes by *)
(* c^m at most with all of them.                                              *)

Definition steady (c : R) F G := forall T j, t \notin T -> j \notin T -> j != t ->
  F (j |: T) * G T <= c * (F T * G (j |: T)) /\ F T * G (j |: T) <= c * (F (j |: T) * G T).

Lemma two_steps (c d f f1 f2 g g1 g2 : R) :
  0 <= c -> 0 <= d -> 0 <= g -> 0 <= g2 -> 0 < g1 ->
  f * g1 <= c * (f1 * g) -> f1 * g2 <= d * (f2 * g1) -> f * g2 <= c * d * (f2 * g).
Proof.
move=> c0 d0 g0 g20 g10 le1 le2; rewrite -(ler_pmul2r g10).
have a1 : f * g2 * g1 <= c * (f1 * g2) * g.
  apply: (@le_by_difference _ _ _ (g2 * (c * (f1 * g) - f * g1))); last by real_ring.
  by rewrite mulr_ge0 ?subr_ge0.
apply: (le_trans a1).
apply: (@le_by_difference _ _ _ (c * g * (d * (f2 * g1) - f1 * g2))); last by real_ring.
by rewrite !mulr_ge0 ?subr_ge0.
Qed.

Definition apart T T' := (T :\: T') :|: (T' :\: T).

Lemma steady_path c F G n : 1 <= c -> (forall T, 0 <= F T) -> (forall T, 0 < G T) ->
  steady c F G -> forall T T', t \notin T -> t \notin T' -> (#|apart T T'| <= n)%N ->
  F T * G T' <= c ^+ n * (F T' * G T).
Proof.
move=> c1 F0 G0 st; have c0 : 0 <= c := le_trans ler01 c1.
have cn0 k : 0 <= c ^+ k by apply: exprn_ge0.
have Ge T : 0 <= G T by apply: ltW.
elim: n => [|n ih] T T' tT tT' few.
  move: few; rewrite leqn0 cards_eq0 /apart setU_eq0 !setD_eq0 => /andP[le1 le2].
  have -> : T = T' by apply/eqP; rewrite eqEsubset le1.
  by rewrite expr0 mul1r.
have [e|] := eqVneq T T'.
  by rewrite e ler_pemull ?mulr_ge0 ?exprn_ege1.
move=> ne; have [j] : exists j, j \in apart T T'.
  apply/set0Pn; apply: contra ne.
  by rewrite /apart setU_eq0 !setD_eq0 eqEsubset.
move=> jd; have jt : j != t.
  by apply: contraTneq jd => ->; rewrite !inE (negbTE tT) (negbTE tT').
have smaller T1 : apart T1 T' = apart T T' :\ j -> (#|apart T1 T'| <= n)%N.
  by move=> ->; move: few; rewrite (cardsD1 j) jd add1n ltnS.
rewrite exprS; case: (boolP (j \in T)) => [jT|jT].
  have e : j |: (T :\ j) = T by rewrite setD1K.
  have tT1 : t \notin T :\ j by rewrite !inE negb_and tT orbT.
  have jT1 : j \notin T :\ j by rewrite setD11.
  have [le1 _] := st (T :\ j) j tT1 jT1 jt; rewrite e in le1.
  apply: (@two_steps c (c ^+ n) _ (F (T :\ j)) _ _ (G (T :\ j))) => //.
  apply: ih => //; apply: smaller; apply/setP => x; rewrite !inE.
  by case: (eqVneq x j) => [->|_] //=; move: jd; rewrite !inE jT /= orbF andbT => /negbTE ->.
have tT1 : t \notin j |: T by rewrite !inE negb_or eq_sym jt.
have jT' : j \in T' by move: jd; rewrite !inE (negbTE jT) andbF.
have [_ le1] := st T j tT jT jt.
apply: (@two_steps c (c ^+ n) _ (F (j |: T)) _ _ (G (j |: T))) => //.
apply: ih => //; apply: smaller; apply/setP => x; rewrite !inE.
by case: (eqVneq x j) => [->|_] //=; rewrite jT'.
Qed.

Lemma spread_of_steady c F G : 1 <= c -> (forall T, 0 <= F T) -> (forall T, 0 < G T) ->
  steady c F G -> forall T T', t \notin T -> t \notin T' ->
  F T * G T' <= c ^+ others * (F T' * G T).
Proof.
move=> c1 F0 G0 st T T' tT tT'; apply: (steady_path c1 F0 G0 st) => //.
rewrite /others -(cardsC1 t); apply: subset_leq_card.
apply/subsetP => x; rewrite !inE => xd.
by apply: contraTneq xd => ->; rewrite (negbTE tT) (negbTE tT').
Qed.

(* --- The two means of an output's probability, from weights p with t and q   *)
(* without, over the memberships of the others.                                *)

Definition total p : R := \sum_(T : {set I} | t \notin T) p T.
Definition mean p g : R := \sum_(T : {set I} | t \notin T) p T * g T.

Lemma total_gt0 p : (forall T, 0 < p T) -> 0 < total p.
Proof.
move=> p0; rewrite /total (bigD1 set0) ?inE //=; apply: ltr_paddr => //.
by apply: sumr_ge0 => T _; apply: ltW.
Qed.

Lemma least g : exists2 T : {set I}, t \notin T &
  forall T' : {set I}, t \notin T' -> g T <= g T'.
Proof.
have t0 : t \notin (set0 : {set I}) by rewrite inE.
by case: (@arg_minP _ _ _ set0 (fun T : {set I} => t \notin T) g t0) => T tT le; exists T.
Qed.

Lemma mean_le p g (a b d : R) : (forall T, 0 <= p T) ->
  (forall T, t \notin T -> g T <= b) -> mean p g <= b * total p.
Proof.
move=> p0 gb; rewrite /mean /total mulr_sumr; apply: ler_sum => T tT.
by rewrite mulrC ler_wpmul2r // gb.
Qed.

(* A: odds ratios that multiply to w^2, probabilities within v^2. *)

Lemma by_odds_ratio p q g (w v : R) : 1 <= w -> 1 <= v ->
  (forall T, 0 < p T) -> (forall T, 0 < q T) -> (forall T, 0 <= g T) ->
  (forall T T', t \notin T -> t \notin T' -> p T * q T' <= w * w * (p T' * q T)) ->
  (forall T T', t \notin T -> t \notin T' -> g T <= v * v * g T') ->
  (w + v) * (w + v) * (mean p g * total q) <=
  (1 + w * v) * (1 + w * v) * (total p * mean q g).
Proof.
move=> w1 v1 p0 q0 g0 pq gg.
have [T0 tT0 small] := least (fun T => p T / q T); have [T1 tT1 low] := least g.
have a0 : 0 < p T0 / q T0 by rewrite divr_gt0.
set a := p T0 / q T0 in a0 small; set b := g T1 in low; have b0 : 0 <= b by apply: g0.
have pl T : t \notin T -> a * q T <= p T by move=> tT; rewrite -ler_pdivl_mulr // small.
have ph T : t \notin T -> p T <= w * w * a * q T.
  move=> tT; rewrite -(ler_pmul2r (q0 T0)); apply: (le_trans (pq T T0 tT tT0)).
  have aq : a * q T0 = p T0 by rewrite /a divfK ?gt_eqF.
  have -> : w * w * a * q T * q T0 = w * w * (p T0 * q T) by rewrite -aq; real_ring.
  exact: lexx.
have Q0 := ltW (total_gt0 q0); have P0 := ltW (total_gt0 p0).
have ww : 0 <= w * w by rewrite mulr_ge0 // (le_trans ler01).
apply: (@means_of_a_product R w v (a * total q) (b * total q)) => //.
- by rewrite mulr_ge0 // ltW.
- by rewrite mulr_ge0.
- rewrite /mean /total mulr_sumr; apply: ler_sum => T tT.
  by rewrite mulrC ler_wpmul2l ?low // ltW.
- rewrite /mean /total !mulr_sumr; apply: ler_sum => T tT.
  by rewrite [q T * _]mulrC mulrA ler_wpmul2r ?gg // ltW.
- apply: (@le_by_difference _ _ _ (total q *
     (\sum_(T : {set I} | t \notin T) (w * w * a * q T - p T) * (g T - b)))).
    rewrite mulr_ge0 // sumr_ge0 // => T tT; by rewrite mulr_ge0 ?subr_ge0 ?ph ?low.
  have -> : \sum_(T : {set I} | t \notin T) (w * w * a * q T - p T) * (g T - b) =
      w * w * a * mean q g - mean p g - b * (w * w * a * total q) + b * total p.
    rewrite /mean /total !mulr_sumr -!sumrB -big_split /=; apply: eq_bigr => T _; by real_ring.
  by real_ring.
- apply: (@le_by_difference _ _ _ (total q *
     (\sum_(T : {set I} | t \notin T) (p T - a * q T) * (v * v * b - g T)))).
    rewrite mulr_ge0 // sumr_ge0 // => T tT; by rewrite mulr_ge0 ?subr_ge0 ?pl ?gg.
  have -> : \sum_(T : {set I} | t \notin T) (p T - a * q T) * (v * v * b - g T) =
      v * v * b * total p - mean p g - v * v * b * (a * total q) + a * mean q g.
    rewrite /mean /total !mulr_sumr -!sumrB -big_split /=; apply: eq_bigr => T _; by real_ring.
  by real_ring.
Qed.

(* B: laws that are c apart, probabilities within V. *)

Definition events_apart (c : R) p q := forall E : {set {set I}},
  (\sum_(T : {set I} | (t \notin T) && (T \in E)) p T) * total q <=
  (\sum_(T : {set I} | (t \notin T) && (T \in E)) q T) * total p + c * (total p * total q).

Lemma by_difference p q g (c V : R) : 0 <= c -> 1 <= V ->
  (forall T, 0 <= p T) -> (forall T, 0 <= q T) -> (forall T, 0 <= g T) ->
  events_apart c p q ->
  (forall T T', t \notin T -> t \notin T' -> g T <= V * g T') ->
  mean p g * total q <= (1 - c + c * V) * (total p * mean q g).
Proof.
move=> c0 V1 p0 q0 g0 close gg; have [T1 tT1 low] := least g; set b := g T1 in low.
have b0 : 0 <= b by apply: g0.
have P0 : 0 <= total p by apply: sumr_ge0. have Q0 : 0 <= total q by apply: sumr_ge0.
pose E := [set T : {set I} | total p * q T <= total q * p T].
have up : \sum_(T : {set I} | t \notin T) (total q * p T - total p * q T) * (g T - b) <=
    (V - 1) * b * \sum_(T : {set I} | (t \notin T) && (T \in E)) (total q * p T - total p * q T).
  rewrite (bigID (fun T => T \in E)) /= mulr_sumr -[X in _ <= X]addr0; apply: ler_add.
    apply: ler_sum => T /andP[tT]; rewrite inE => le; rewrite [X in X <= _]mulrC.
    rewrite ler_wpmul2r ?subr_ge0 // mulrBl mul1r ler_sub ?gg //.
  rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => T /andP[tT]; rewrite inE -ltNge => lt.
  by rewrite oppr_ge0 mulr_le0_ge0 ?subr_le0 ?subr_ge0 ?low // ltW.
have sums : \sum_(T : {set I} | (t \notin T) && (T \in E)) (total q * p T - total p * q T) <=
    c * (total p * total q).
  by rewrite sumrB -!mulr_sumr ler_subl_addl mulrC [total p * _]mulrC.
have lowest : b * total q <= mean q g.
  rewrite /mean /total mulr_sumr; apply: ler_sum => T tT; by rewrite mulrC ler_wpmul2l ?low.
have sum_of (x y : R) : \sum_(T : {set I} | t \notin T) (x * p T - y * q T) * (g T - b) =
    x * mean p g - y * mean q g - x * b * total p + y * b * total q.
  by rewrite /mean /total !mulr_sumr -!sumrB -big_split /=; apply: eq_bigr => T _; real_ring.
have V0 : 0 <= V - 1 by rewrite subr_ge0.
rewrite sum_of in up; have := le_trans up (ler_wpmul2l (mulr_ge0 V0 b0) sums) => le1.
apply: (@le_by_difference _ _ _ (((V - 1) * b * (c * (total p * total q))
    - (total q * mean p g - total p * mean q g - total q * b * total p
      + total p * b * total q))
  + (V - 1) * c * total p * (mean q g - b * total q))); last by real_ring.
by rewrite addr_ge0 ?subr_ge0 // !mulr_ge0 // subr_ge0.
Qed.

(* --- What follows for a mechanism and a prior. *)

Definition present D T := D (t |: T).
Definition absent D T := D T.

Definition odds_ratio_at_most psi D := steady psi (present D) (absent D).

Definition difference_at_most c D :=
  events_apart c (present D) (absent D) /\ events_apart c (absent D) (present D).

Section OneMechanism.
Variables (z : R) (A : mechanism R I O) (D : prior R I) (S : {set O}).
Hypotheses (z1 : 1 <= z) (dp : add_remove_dp z A).

Let f T := Pr (A (t |: T)) S.
Let g T := Pr (A T) S.
Let z0 : 0 <= z. Proof. exact: le_trans ler01 z1. Qed.
Let f0 T : 0 <= f T. Proof. exact: Pr_ge0. Qed.
Let g0 T : 0 <= g T. Proof. exact: Pr_ge0. Qed.
Let p0 T : 0 <= present D T. Proof. exact: mass_ge0. Qed.
Let q0 T : 0 <= absent D T. Proof. exact: mass_ge0. Qed.

Let spread_out T T' : t \notin T -> t \notin T' -> g T <= z ^+ others * g T'.
Proof.
move=> tT tT'; have := @spread_of_steady z g (fun _ => 1) z1 g0 (fun _ => ltr01).
move=> /(_ _ _ _ tT tT'); rewrite !mulr1; apply=> U j tU jU jt; rewrite !mulr1.
by split; [apply: dp.1 | apply: dp.2].
Qed.

Let spread_in T T' : t \notin T -> t \notin T' -> f T <= z ^+ others * f T'.
Proof.
move=> tT tT'; have := @spread_of_steady z f (fun _ => 1) z1 f0 (fun _ => ltr01).
move=> /(_ _ _ _ tT tT'); rewrite !mulr1; apply=> U j tU jU jt; rewrite !mulr1 /f setUCA.
have jU' : j \notin t |: U by rewrite !inE negb_or jt.
by split; [apply: dp.1 | apply: dp.2].
Qed.

Let favours_of k : mean (present D) g * total (absent D) <=
  k * (total (present D) * mean (absent D) g) -> favours (z * k) D A t S.
Proof.
move=> le; rewrite /favours belief_compl /belief /joint /doubt !sum_with.
change (total (absent D) * mean (present D) f <= z * k * total (present D) * mean (absent D) g).
have step : mean (present D) f <= z * mean (present D) g.
  rewrite /mean mulr_sumr; apply: ler_sum => T tT.
  by rewrite mulrCA ler_wpmul2l // dp.1.
apply: (@le_by_difference _ _ _ (total (absent D) * (z * mean (present D) g - mean (present D) f)
  + z * (k * (total (present D) * mean (absent D) g) - mean (present D) g * total (absent D)))).
  by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 // sumr_ge0.
by real_ring.
Qed.

Let disfavours_of k : mean (absent D) f * total (present D) <=
  k * (total (absent D) * mean (present D) f) -> disfavours (z * k) D A t S.
Proof.
move=> le; rewrite /disfavours belief_compl /belief /joint /doubt !sum_with.
change (total (present D) * mean (absent D) g <= z * k * total (absent D) * mean (present D) f).
have step : mean (absent D) g <= z * mean (absent D) f.
  rewrite /mean mulr_sumr; apply: ler_sum => T tT.
  by rewrite mulrCA ler_wpmul2l // dp.2.
apply: (@le_by_difference _ _ _ (total (present D) * (z * mean (absent D) f - mean (absent D) g)
  + z * (k * (total (absent D) * mean (present D) f) - mean (absent D) f * total (present D)))).
  by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 // sumr_ge0.
by real_ring.
Qed.

Let V1 : 1 <= z ^+ others. Proof. exact: exprn_ege1. Qed.

Theorem household_difference c : 0 <= c -> difference_at_most c D ->
  favours (z * (1 - c + c * z ^+ others)) D A t S /\
  disfavours (z * (1 - c + c * z ^+ others)) D A t S.
Proof.
move=> c0 [close close']; split.
  by apply: favours_of; apply: by_difference.
by apply: disfavours_of; apply: by_difference.
Qed.

Lemma always_apart p q : (forall T, 0 <= p T) -> (forall T, 0 <= q T) -> events_apart 1 p q.
Proof.
move=> pp qq E; rewrite mul1r ler_paddl ?mulr_ge0 ?sumr_ge0 // ler_wpmul2r ?sumr_ge0 //.
rewrite /total [X in _ <= X](bigID (fun T => T \in E)) /= ler_addl.
by apply: sumr_ge0.
Qed.

Theorem household_tied : favours (z * z ^+ others) D A t S /\ disfavours (z * z ^+ others) D A t S.
Proof.
have [] := @household_difference 1 ler01 (conj (always_apart p0 q0) (always_apart q0 p0)).
by rewrite subrr add0r mul1r.
Qed.

(* w^2 and v^2 are the odds ratio and the loss of all others together. *)

Theorem household_odds_ratio psi w v : 1 <= psi -> 1 <= w -> 1 <= v ->
  w * w = psi ^+ others -> v * v = z ^+ others ->
  (forall T, 0 < D T) -> odds_ratio_at_most psi D ->
  let ratio := ((1 + w * v) / (w + v)) * ((1 + w * v) / (w + v)) in
  favours (z * ratio) D A t S /\ disfavours (z * ratio) D A t S.
Proof.
move=> psi1 w1 v1 ew ev D0 odds ratio.
have wv : 0 < w + v by rewrite addr_gt0 // (lt_le_trans ltr01).
have scaled (x y : R) : (w + v) * (w + v) * x <= (1 + w * v) * (1 + w * v) * y -> x <= ratio * y.
  move=> le; have -> : ratio * y = (1 + w * v) * (1 + w * v) * y * ((w + v)^-1 * (w + v)^-1).
    by rewrite /ratio; real_ring.
  by rewrite -invfM ler_pdivl_mulr ?mulr_gt0 // mulrC.
have pp T : 0 < present D T by apply: D0.
have qq T : 0 < absent D T by apply: D0.
have pq T T' : t \notin T -> t \notin T' ->
    present D T * absent D T' <= w * w * (present D T' * absent D T).
  by move=> tT tT'; rewrite ew; apply: spread_of_steady.
split.
  apply: favours_of; apply: scaled; apply: (@by_odds_ratio (present D) (absent D) g w v) => //.
  by move=> T T' tT tT'; rewrite ev; apply: spread_out.
apply: disfavours_of; apply: scaled; apply: (@by_odds_ratio (absent D) (present D) f w v) => //.
  by move=> T T' tT tT'; rewrite mulrC [absent D T' * _]mulrC; apply: pq.
by move=> T T' tT tT'; rewrite ev; apply: spread_in.
Qed.

(* C for k = 2: the two come with one mean and a correlation of at most c. *)

Section Couple.
Variable j : I.
Hypotheses (jt : j != t) (only : forall i, (i == t) || (i == j)).

Lemma one_other : others = 1%N.
Proof.
rewrite /others -(cardsC1 t) -(cards1 j); congr #|pred_of_set _|; apply/setP => i.
by rewrite !inE; move: (only i); case: (eqVneq i t) => // -> _; rewrite eq_sym (negbTE jt).
Qed.

Lemma of_two_sets (P : pred {set I}) F :
  \sum_(T : {set I} | (t \notin T) && P T) F T =
  (if P set0 then F set0 else 0) + (if P [set j] then F [set j] else 0).
Proof.
have nonempty : [set j] != set0 :> {set I} by apply/set0Pn; exists j; rewrite inE.
rewrite big_mkcondr (bigD1 set0) ?inE //= (bigD1 [set j]) /=; last first.
  by rewrite inE eq_sym jt nonempty.
rewrite addrA big1 ?addr0 // => T /andP[/andP[tT ne] nj].
have sub : T \subset [set j].
  apply/subsetP => i iT; rewrite inE; have := only i.
  by case: eqP => // e; move: tT; rewrite -e iT.
have /set0Pn [i iT] := ne; case/negP: nj; rewrite eqEsubset sub sub1set.
by have /subsetP /(_ i iT) := sub; rewrite inE => /eqP <-.
Qed.

Definition correlation_at_most c := belief D j = belief D t /\
  `|D [set t; j] - belief D t * belief D t| <= c * (belief D t * (1 - belief D t)).

Lemma couple_apart c : 0 <= c -> correlation_at_most c -> difference_at_most c D.
Proof.
move=> c0 [same]; rewrite ler_norml => /andP[low high].
have all_ (F : {set I} -> R) : \sum_(T : {set I} | t \notin T) F T = F set0 + F [set j].
  by have := of_two_sets predT F => /= <-; apply: eq_bigl => T; rewrite andbT.
set x := D [set t]; set y := D [set t; j] in low high; set e := D set0; set v := D [set j].
have P : total (present D) = x + y by rewrite /total all_ /present setU0.
have Q : total (absent D) = e + v by rewrite /total all_.
have b : belief D t = x + y by rewrite -P /total /belief sum_with.
have nb : 1 - belief D t = e + v by rewrite belief_compl -Q.
have bj : belief D j = v + y.
  rewrite /belief (bigID (fun T => t \in T)) /= addrC; congr (_ + _).
    rewrite (eq_bigl (fun T : {set I} => (t \notin T) && (j \in T))); last by move=> T; rewrite andbC.
    by rewrite of_two_sets !inE eqxx add0r.
  rewrite (eq_bigl (fun T : {set I} => (t \in T) && (j \in T))); last by move=> T; rewrite andbC.
  rewrite big_mkcondr sum_with -big_mkcondr.
  rewrite (eq_bigl (fun T : {set I} => (t \notin T) && (j \in t |: T))) //.
  by rewrite of_two_sets !inE eqxx (negbTE jt) orbT add0r.
have vx : v = x by apply: (addIr y); rewrite -bj same b.
have one : x + y + (e + v) = 1 by rewrite -b -nb addrC subrK.
have gap_ : y * (e + v) - v * (x + y) = y - (x + y) * (x + y).
  have -> : y - (x + y) * (x + y) = y * (x + y + (e + v)) - (x + y) * (x + y).
    by rewrite one mulr1.
  by rewrite vx; real_ring.
rewrite nb b in low high; rewrite -gap_ in low high.
have k0 : 0 <= c * ((x + y) * (e + v)).
  by rewrite -b -nb !mulr_ge0 ?belief_ge0 // subr_ge0 belief_le1.
set k := c * _ in low high k0; set h := y * (e + v) - v * (x + y) in low high.
have low' : 0 <= k + h by rewrite -ler_subl_addl sub0r.
have high' : 0 <= k - h by rewrite subr_ge0.
have swap : c * ((e + v) * (x + y)) = k by rewrite /k; real_ring.
split=> E; rewrite P Q !of_two_sets /present /absent setU0 -/x -/y -/e -/v ?swap -/k.
  case: (set0 \in E); case: ([set j] \in E); rewrite ?add0r ?addr0 ?mul0r ?add0r //.
  - by apply: (le_by_difference k0); real_ring.
  - by apply: (le_by_difference low'); rewrite /h; real_ring.
  - by apply: (le_by_difference high'); rewrite /h; real_ring.
case: (set0 \in E); case: ([set j] \in E); rewrite ?add0r ?addr0 ?mul0r ?add0r //.
- by apply: (le_by_difference k0); real_ring.
- by apply: (le_by_difference high'); rewrite /h; real_ring.
- by apply: (le_by_difference low'); rewrite /h; real_ring.
Qed.

Theorem household_couple c : 0 <= c -> correlation_at_most c ->
  favours (z * (1 + c * (z - 1))) D A t S /\ disfavours (z * (1 + c * (z - 1))) D A t S.
Proof.
move=> c0 corr; have := household_difference c0 (couple_apart c0 corr).
by rewrite one_other expr1 (_ : 1 - c + c * z = 1 + c * (z - 1)) //; real_ring.
Qed.

End Couple.
End OneMechanism.
End Household.

Print Assumptions odds_ratio_attained.
Print Assumptions household_tied.
Print Assumptions household_difference.
Print Assumptions household_odds_ratio.
Print Assumptions household_couple.
