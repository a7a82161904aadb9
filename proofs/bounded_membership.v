From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model beliefs independent_membership.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*         Replace-one DP and beliefs given the number of entities            *)
(*                                                                            *)
(* D_B is a law of independent memberships, conditioned on the size of the    *)
(* data. Given that t is in, the others are a draw of k - 1; given that t is  *)
(* not, a draw of k. li-2013 (Lemma 4.9, by a theorem on flows) couples the   *)
(* two draws so that the smaller lies in the larger. Here the inequality that *)
(* the coupling serves is proved directly, one entity after the other.        *)
(*                                                                            *)
(* draws u v s k g == sum over the subsets T of the list s with k elements of *)
(*     (product of u over T) (product of v over the rest) g(T)                *)
(******************************************************************************)

Section Draws.
Variables (R : realFieldType) (I : finType) (u v : I -> R).
Hypotheses (u0 : forall i, 0 <= u i) (v0 : forall i, 0 <= v i).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (s : seq I) (T : {set I}) (g h : {set I} -> R).

Fixpoint draws s k g : R :=
  match s with
  | [::] => if k is 0%N then g set0 else 0
  | x :: s' =>
      v x * draws s' k g +
      u x * (if k is k'.+1 then draws s' k' (fun T => g (x |: T)) else 0)
  end.

(* Indices are moved by one, so that what is drawn fewer times than never is 0. *)
Definition fewer s k g : R := if k is k'.+1 then draws s k' g else 0.

Lemma fewer_cons x s k g :
  fewer (x :: s) k.+1 g = v x * fewer s k.+1 g + u x * fewer s k (fun T => g (x |: T)).
Proof. by case: k. Qed.

Definition nonnegative g := forall T, 0 <= g T.

Lemma draws_ge0 s k g : nonnegative g -> 0 <= draws s k g.
Proof.
elim: s k g => [|x s ih] k g g0 /=; first by case: k.
by rewrite addr_ge0 // mulr_ge0 // ?ih //; case: k => // k; apply: ih => T.
Qed.

Lemma fewer_ge0 s k g : nonnegative g -> 0 <= fewer s k g.
Proof. by case: k => //= k; apply: draws_ge0. Qed.

Let one_ : {set I} -> R := fun _ => 1.
Lemma one_ge0 : nonnegative one_. Proof. by move=> T; apply: ler01. Qed.
Hint Resolve one_ge0 : core.

(* What never happens adds nothing. *)
Lemma no_draws s k g : nonnegative g -> fewer s k one_ = 0 -> fewer s k g = 0.
Proof.
elim: s k g => [|x s ih] [|k] g g0 //; first by case: k => //= /eqP; rewrite oner_eq0.
have gx0 : nonnegative (fun T => g (x |: T)) by move=> T.
rewrite !fewer_cons => /eqP; rewrite paddr_eq0 ?mulr_ge0 ?fewer_ge0 //.
rewrite !mulf_eq0 => /andP[/orP[/eqP->|/eqP e] /orP[/eqP->|/eqP e']].
- by rewrite !mul0r addr0.
- by rewrite mul0r add0r (ih _ _ gx0 e') mulr0.
- by rewrite mul0r addr0 (ih _ _ g0 e) mulr0.
- by rewrite (ih _ _ g0 e) (ih _ _ gx0 e') !mulr0 addr0.
Qed.

(* How many are drawn is log-concave. *)
Lemma log_concave s i j : (i <= j)%N ->
  fewer s i one_ * fewer s j.+1 one_ <= fewer s i.+1 one_ * fewer s j one_.
Proof.
elim: s i j => [|x s ih] [|i] j ij.
- by rewrite mul0r; apply: mulr_ge0; apply: fewer_ge0.
- case: j ij => // j _; rewrite [fewer _ j.+2 _]/= mulr0.
  by apply: mulr_ge0; apply: fewer_ge0.
- by rewrite mul0r; apply: mulr_ge0; apply: fewer_ge0.
case: j ij => // j ij; rewrite !fewer_cons.
set a := fewer s; set w := u x; set z := v x.
have w0 : 0 <= w := u0 x. have z0 : 0 <= z := v0 x.
have p1 : a i.+1 one_ * a j.+2 one_ <= a i.+2 one_ * a j.+1 one_ by apply: ih.
have p3 : a i one_ * a j.+1 one_ <= a i.+1 one_ * a j one_ by apply: ih.
have p2 : a i one_ * a j.+2 one_ <= a i.+2 one_ * a j one_.
  move: ij; rewrite ltnS leq_eqVlt => /orP[/eqP->|lt]; first by rewrite mulrC.
  apply: (@le_trans _ _ (a i.+1 one_ * a j.+1 one_)); first by apply: ih; apply: leqW; apply: ltnW.
  by case: j lt {p1 p3} => // j lt; apply: ih.
apply: (@le_by_difference _ _ _ (
    z * z * (a i.+2 one_ * a j.+1 one_ - a i.+1 one_ * a j.+2 one_)
  + z * w * (a i.+2 one_ * a j one_ - a i one_ * a j.+2 one_)
  + w * w * (a i.+1 one_ * a j one_ - a i one_ * a j.+1 one_))); last first.
  by rewrite /one_; real_ring.
by rewrite !addr_ge0 // !mulr_ge0 // subr_ge0.
Qed.

Lemma draws_le c s k g h : (forall T, T \subset s -> g T <= c * h T) ->
  draws s k g <= c * draws s k h.
Proof.
elim: s k g h => [|x s ih] k g h gh /=.
  by case: k => [|k]; rewrite ?mulr0 //; apply: gh; apply/subsetP => i; rewrite inE.
rewrite mulrDr !(mulrCA c); apply: ler_add; apply: ler_wpmul2l => //.
  apply: ih => T ts; apply: gh; apply/subsetP => i iT.
  by rewrite inE (subsetP ts _ iT) orbT.
case: k => [|k]; first by rewrite mulr0.
apply: (ih k (fun T => g (x |: T)) (fun T => h (x |: T))) => T ts; apply: gh.
apply/subsetP => i; rewrite !inE => /orP[->//|iT].
by rewrite (subsetP ts _ iT) orbT.
Qed.

(* A draw of k against one of k + 1: the heart of li-2013, Theorem 4.8. *)
Theorem smaller_draw c s k g h : uniq s -> 0 <= c -> nonnegative g -> nonnegative h ->
  (forall T y, T \subset s -> y \in s -> y \notin T -> g T <= c * h (y |: T)) ->
  fewer s k.+1 one_ * fewer s k g <= c * (fewer s k one_ * fewer s k.+1 h).
Proof.
move=> + c0; elim: s k g h => [|x s ih] [|k] g h us g0 h0 gh.
- by rewrite /= !(mulr0, mul0r).
- by rewrite /= !(mulr0, mul0r).
- by rewrite /= !(mulr0, mul0r).
move: us; rewrite cons_uniq => /andP[xs us].
pose gx T := g (x |: T); pose hx T := h (x |: T).
have gx0 : nonnegative gx by move=> T; apply: g0.
have hx0 : nonnegative hx by move=> T; apply: h0.
have sub T : T \subset s -> T \subset x :: s.
  by move=> /subsetP ts; apply/subsetP => i /ts; rewrite inE => ->; rewrite orbT.
have subx T : T \subset s -> x |: T \subset x :: s.
  move=> /subsetP ts; apply/subsetP => i; rewrite !inE => /orP[/eqP->|/ts ->].
    by rewrite eqxx.
  by rewrite orbT.
have notin T : T \subset s -> x \notin T.
  by move=> /subsetP ts; apply: contra xs => /ts.
have fa : fewer s k.+1 one_ * fewer s k gx <= c * (fewer s k one_ * fewer s k.+1 hx).
  apply: ih => // T y ts ys yT; rewrite /gx /hx setUCA; apply: gh.
  - exact: subx.
  - by rewrite inE ys orbT.
  - rewrite !inE negb_or yT andbT; apply: contraNneq xs => <-; exact: ys.
have fb : fewer s k.+2 one_ * fewer s k.+1 g <= c * (fewer s k.+1 one_ * fewer s k.+2 h).
  by apply: ih => // T y ts ys yT; apply: gh => //; [exact: sub | rewrite inE ys orbT].
have fc : fewer s k.+1 g <= c * fewer s k.+1 hx.
  apply: draws_le => T ts; apply: gh; [exact: sub | by rewrite inE eqxx | exact: notin].
have fd : fewer s k one_ * fewer s k.+2 one_ <= fewer s k.+1 one_ * fewer s k.+1 one_.
  exact: log_concave.
rewrite !fewer_cons -/gx -/hx.
have := fewer_ge0 s k gx0; have := fewer_ge0 s k.+1 g0.
have := fewer_ge0 s k.+1 hx0; have := fewer_ge0 s k.+2 h0.
have := fewer_ge0 s k one_ge0; have := fewer_ge0 s k.+1 one_ge0.
have := fewer_ge0 s k.+2 one_ge0.
have no0 := @no_draws s k gx gx0; have no1 := @no_draws s k.+1 g g0.
move: no0 no1 fa fb fc fd.
change (fun _ : {set I} => 1) with one_.
move: (fewer s k one_) (fewer s k.+1 one_) (fewer s k.+2 one_) => e0 e1 e2.
move: (fewer s k gx) (fewer s k.+1 g) => G0 G1.
move: (fewer s k.+1 hx) (fewer s k.+2 h) => H1 H2.
have := u0 x; have := v0 x; move: (u x) (v x) => w z.
move=> z0 w0 no0 no1 fa fb fc fd e2p e1p e0p H2p H1p G1p G0p.
have mixed : e2 * G0 + e1 * G1 <= c * (e1 * H1 + e0 * H2).
  case: (eqVneq e1 0) => [e10|n1].
    have right : 0 <= c * (e1 * H1 + e0 * H2) by rewrite mulr_ge0 // addr_ge0 // mulr_ge0.
    apply: le_trans right; rewrite e10 mul0r addr0.
    have : e0 * e2 <= 0 by rewrite (le_trans fd) // e10 mul0r.
    rewrite le_eqVlt ltNge mulr_ge0 // orbF mulf_eq0 => /orP[/eqP e00|/eqP ->].
      by rewrite no0 // mulr0.
    by rewrite mul0r.
  have e1pos : 0 < e1 by rewrite lt_def n1.
  rewrite -(ler_pmul2l e1pos).
  apply: (@le_by_difference _ _ _ (
      e2 * (c * (e0 * H1) - e1 * G0) + (e1 * e1 - e0 * e2) * (c * H1 - G1)
    + e0 * (c * (e1 * H2) - e2 * G1))); last by real_ring.
  by rewrite !addr_ge0 // mulr_ge0 // subr_ge0.
apply: (@le_by_difference _ _ _ (
    z * z * (c * (e1 * H2) - e2 * G1) + w * w * (c * (e0 * H1) - e1 * G0)
  + z * w * (c * (e1 * H1 + e0 * H2) - (e2 * G0 + e1 * G1)))); last by real_ring.
by rewrite !addr_ge0 // !mulr_ge0 // subr_ge0.
Qed.

End Draws.

Section GivenTheSize.
Variables (R : realFieldType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (A : mechanism R I O) (D : prior R I) (S : {set O}) (T X : {set I}) (t y : I).
Implicit Types (p : I -> R) (c : R) (g h : {set I} -> R).

Definition others p t T : R := \prod_(i | i != t) (if i \in T then p i else 1 - p i).

Lemma draws_sets (u v : I -> R) (s : seq I) k g : uniq s ->
  draws u v s k g =
  \sum_(T : {set I}) (if (T \subset s) && (#|T| == k)
     then (\prod_(i <- s) (if i \in T then u i else v i)) * g T else 0).
Proof.
elim: s k g => [|x s ih] k g /=.
  move=> _; rewrite (bigD1 set0) //= cards0 big_nil mul1r big1 ?addr0.
    have -> : set0 \subset ([::] : seq I) by apply/subsetP => i; rewrite inE.
    by case: k.
  by move=> T /set0Pn [i iT]; case: ifP => // /andP[/subsetP /(_ i iT)].
move=> /andP[xs us]; rewrite [RHS](bigID (fun T => x \in T)) /= [RHS]addrC; congr (_ + _).
  rewrite (ih _ _ us) [X in _ * X](bigID (fun T => x \in T)) /= big1 ?add0r => [|T xT].
    rewrite mulr_sumr; apply: eq_bigr => T xT.
    have -> : (T \subset x :: s) = (T \subset s).
      apply/subsetP/subsetP => ts i iT; last by rewrite inE ts ?orbT.
      have := ts i iT; rewrite inE => /orP[/eqP e|//].
      by rewrite -e iT in xT.
    case: ifP => _; last by rewrite mulr0.
    by rewrite big_cons (negbTE xT) mulrA.
  case: ifP => // /andP[/subsetP /(_ x xT)]; by rewrite (negbTE xs).
rewrite sum_with; case: k => [|k].
  rewrite mulr0 big1 // => T xT; rewrite cardsU1 xT /= add1n andbF //.
rewrite (ih _ _ us) [X in _ * X](bigID (fun T => x \in T)) /= big1 ?add0r => [|T xT].
  rewrite mulr_sumr; apply: eq_bigr => T xT.
  have -> : (x |: T \subset x :: s) = (T \subset s).
    apply/subsetP/subsetP => ts i.
      move=> iT; have := ts i; rewrite !inE iT orbT => /(_ isT) /orP[/eqP e|//].
      by rewrite -e iT in xT.
    by rewrite !inE => /orP[->//|/ts ->]; rewrite orbT.
  rewrite cardsU1 xT add1n eqSS; case: ifP => _; last by rewrite mulr0.
  rewrite big_cons setU11 mulrA; congr (_ * _ * _).
  apply: eq_big_seq => i is_; rewrite !inE; case: eqP => [e|//].
  by rewrite e (negbTE xs) in is_.
case: ifP => // /andP[/subsetP /(_ x xT)]; by rewrite (negbTE xs).
Qed.

Definition all_but t := [seq i <- enum I | i != t].

Lemma uniq_all_but t : uniq (all_but t).
Proof. by rewrite filter_uniq ?enum_uniq. Qed.

Lemma sub_all_but t T : (T \subset all_but t) = (t \notin T).
Proof.
apply/subsetP/idP => [ts|tT i iT].
  by apply/negP => /ts; rewrite mem_filter eqxx.
by rewrite mem_filter mem_enum andbT; apply: contraNneq tT => <-.
Qed.

Lemma draws_others p t k g :
  draws p (fun i => 1 - p i) (all_but t) k g =
  \sum_(T : {set I} | t \notin T) (if #|T| == k then others p t T * g T else 0).
Proof.
rewrite (draws_sets _ _ _ _ (uniq_all_but t)) [RHS]big_mkcond; apply: eq_bigr => T _.
rewrite sub_all_but; case: (t \notin T) => //=; case: ifP => // _.
by rewrite big_filter big_enum_cond.
Qed.

(* D_B: independent memberships, conditioned on the size k. *)

Definition of_size p k : R := \sum_(T : {set I} | #|T| == k) weight p T.

Definition bounded_independent D :=
  exists p k, [/\ probabilities p, 0 < of_size p k &
    forall T, D T = (if #|T| == k then weight p T else 0) / of_size p k].

Definition count_before t k p := fewer p (fun i => 1 - p i) (all_but t) k.

Lemma sum_in p k D t (F : {set I} -> R) :
  (forall T, D T = (if #|T| == k then weight p T else 0) / of_size p k) ->
  \sum_(T : {set I} | t \in T) D T * F T =
  p t / of_size p k * count_before t k p (fun T => F (t |: T)).
Proof.
move=> Dp; rewrite sum_with /count_before; case: k Dp => [|k] Dp.
  rewrite mulr0 big1 // => T tT; rewrite Dp cardsU1 tT add1n /= !mul0r //.
rewrite /= draws_others mulr_sumr; apply: eq_bigr => T tT.
rewrite Dp cardsU1 tT add1n eqSS; case: ifP => _; last by rewrite !mul0r mulr0.
by rewrite (weight_with _ tT) /others; real_ring.
Qed.

Lemma sum_out p k D t (F : {set I} -> R) :
  (forall T, D T = (if #|T| == k then weight p T else 0) / of_size p k) ->
  \sum_(T : {set I} | t \notin T) D T * F T =
  (1 - p t) / of_size p k * count_before t k.+1 p F.
Proof.
move=> Dp; rewrite /count_before /= draws_others mulr_sumr; apply: eq_bigr => T tT.
rewrite Dp; case: ifP => _; last by rewrite !mul0r mulr0.
by rewrite (weight_without _ tT) /others; real_ring.
Qed.

Lemma draws_affine (u v : I -> R) s k (a b : R) g :
  draws u v s k (fun T => a - b * g T) = a * draws u v s k (fun _ => 1) - b * draws u v s k g.
Proof.
elim: s k g => [|x s ih] [|k] g /=; rewrite ?mulr0 ?subr0 ?mulr1 //.
  by rewrite ih !addr0; real_ring.
by rewrite (ih k.+1) (ih k (fun T => g (x |: T))); real_ring.
Qed.

Section OneMechanism.
Variables (c : R) (A : mechanism R I O) (D : prior R I) (t : I) (S : {set O}).
Hypotheses (c1 : 1 <= c) (dp : replace_one_dp c A) (DB : bounded_independent D).

Let c0 : 0 <= c. Proof. by apply: le_trans c1. Qed.

Lemma belief_terms p k :
  (forall T, D T = (if #|T| == k then weight p T else 0) / of_size p k) ->
  belief D t = p t / of_size p k * count_before t k p (fun _ => 1) /\
  1 - belief D t = (1 - p t) / of_size p k * count_before t k.+1 p (fun _ => 1).
Proof.
move=> Dp; split; rewrite ?belief_compl /belief.
  by rewrite -(sum_in t (fun _ => 1) Dp); apply: eq_bigr => T _; rewrite mulr1.
by rewrite -(sum_out t (fun _ => 1) Dp); apply: eq_bigr => T _; rewrite mulr1.
Qed.

Lemma probabilities_pairs p : probabilities p ->
  (forall i, 0 <= p i) * (forall i, 0 <= 1 - p i).
Proof. by move=> pr; split=> i; have /andP[p0 p1] := pr i; rewrite ?subr_ge0. Qed.

Theorem replace_one_favours : favours c D A t S.
Proof.
have [p [k [pr z0 Dp]]] := DB; have [p0 np0] := probabilities_pairs pr.
rewrite /favours /joint /doubt (sum_in t _ Dp) (sum_out t _ Dp).
have [-> ->] := belief_terms Dp.
have := @smaller_draw R I p (fun i => 1 - p i) p0 np0 c (all_but t) k
  (fun T => Pr (A (t |: T)) S) (fun T => Pr (A T) S) _ c0 _ _ _.
move=> /(_ (uniq_all_but t) (fun T => Pr_ge0 _ _) (fun T => Pr_ge0 _ _)).
have step T y : T \subset all_but t -> y \in all_but t -> y \notin T ->
    Pr (A (t |: T)) S <= c * Pr (A (y |: T)) S.
  by rewrite sub_all_but => tT _ yT; apply: dp.
move=> /(_ step); pose e0 := count_before t k p (fun _ => 1); pose e1 := count_before t k.+1 p (fun _ => 1).
pose G := count_before t k p (fun T => Pr (A (t |: T)) S).
pose H := count_before t k.+1 p (fun T => Pr (A T) S).
change (e1 * G <= c * (e0 * H) ->
  (1 - p t) / of_size p k * e1 * (p t / of_size p k * G) <=
  c * (p t / of_size p k * e0) * ((1 - p t) / of_size p k * H)).
move: e0 e1 G H => e0 e1 G H le.
apply: (@le_by_difference _ _ _
  ((p t / of_size p k) * ((1 - p t) / of_size p k) * (c * (e0 * H) - e1 * G))); last by real_ring.
have zi : 0 <= (of_size p k)^-1 by rewrite invr_ge0 ltW.
have pt := p0 t; have npt := np0 t.
by rewrite !mulr_ge0 // subr_ge0.
Qed.

Theorem replace_one_disfavours : disfavours c D A t S.
Proof.
have [p [k [pr z0 Dp]]] := DB; have [p0 np0] := probabilities_pairs pr.
rewrite /disfavours /joint /doubt (sum_in t _ Dp) (sum_out t _ Dp).
have [-> ->] := belief_terms Dp.
have := @smaller_draw R I p (fun i => 1 - p i) p0 np0 1 (all_but t) k
  (fun T => c - c * Pr (A (t |: T)) S) (fun T => c - 1 * Pr (A T) S) _ ler01 _ _ _.
move=> /(_ (uniq_all_but t)).
have g0 : nonnegative (fun T : {set I} => c - c * Pr (A (t |: T)) S).
  by move=> T; rewrite subr_ge0 ler_pimulr // Pr_le1.
have h0 : nonnegative (fun T : {set I} => c - 1 * Pr (A T) S).
  by move=> T; rewrite subr_ge0 mul1r (le_trans (Pr_le1 _ _)).
have step T y : T \subset all_but t -> y \in all_but t -> y \notin T ->
    c - c * Pr (A (t |: T)) S <= 1 * (c - 1 * Pr (A (y |: T)) S).
  rewrite sub_all_but => tT _ yT; rewrite !mul1r ler_add2l ler_opp2; exact: dp.
move=> /(_ g0 h0 step).
have affine j a b (g : {set I} -> R) : fewer p (fun i => 1 - p i) (all_but t) j (fun T => a - b * g T) =
    a * count_before t j p (fun _ => 1) - b * count_before t j p g.
  by case: j => [|j]; rewrite /count_before /= ?draws_affine // !mulr0 subr0.
rewrite (affine k c c (fun T => Pr (A (t |: T)) S)) (affine k.+1 c 1 (fun T => Pr (A T) S)).
pose e0 := count_before t k p (fun _ => 1); pose e1 := count_before t k.+1 p (fun _ => 1).
pose G := count_before t k p (fun T => Pr (A (t |: T)) S).
pose H := count_before t k.+1 p (fun T => Pr (A T) S).
change (e1 * (c * e0 - c * G) <= 1 * (e0 * (c * e1 - 1 * H)) ->
  p t / of_size p k * e0 * ((1 - p t) / of_size p k * H) <=
  c * ((1 - p t) / of_size p k * e1) * (p t / of_size p k * G)).
move: e0 e1 G H => e0 e1 G H le.
apply: (@le_by_difference _ _ _ ((p t / of_size p k) * ((1 - p t) / of_size p k) *
  (1 * (e0 * (c * e1 - 1 * H)) - e1 * (c * e0 - c * G)))); last by real_ring.
have zi : 0 <= (of_size p k)^-1 by rewrite invr_ge0 ltW.
have pt := p0 t; have npt := np0 t.
by rewrite !mulr_ge0 // subr_ge0.
Qed.

End OneMechanism.
End GivenTheSize.

(* The converse of li-2013, Theorem 4.8, and what tramer-2015, Theorem 2, says. *)

Section OneOfTwo.
Variables (R : realFieldType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).
Variables (t y : I) (T : {set I}) (q : R).
Hypotheses (tT : t \notin T) (yT : y \notin T) (ty : t != y) (q01 : 0 <= q <= 1).

(* All of T are in, and one of t and y. *)
Definition one_of_two i : R :=
  if i == t then q else if i == y then 2%:R^-1 else (i \in T)%:R.

Lemma half01 : 0 <= (2%:R^-1 : R) <= 1.
Proof. by rewrite invr_ge0 ler0n invf_le1 ?ltr0n // ler1n. Qed.

Lemma one_of_two_probabilities : probabilities one_of_two.
Proof.
move=> i; rewrite /one_of_two; case: ifP => // _; case: ifP => _; first exact: half01.
by case: (i \in T); rewrite ?lexx ?ler01.
Qed.

Lemma half_compl : 1 - 2%:R^-1 = 2%:R^-1 :> R.
Proof.
have n2 : 2%:R != 0 :> R by rewrite pnatr_eq0.
by apply: (mulIf n2); rewrite mulrBl mulVf // mul1r [2%:R]mulr2n addrK.
Qed.

Lemma others_one_of_two (X : {set I}) : t \notin X ->
  others one_of_two t X = 2%:R^-1 * ((X == T)%:R + (X == y |: T)%:R).
Proof.
have yt : y != t by rewrite eq_sym.
move=> tX; rewrite /others (bigD1 y yt) /=.
have -> : (if y \in X then one_of_two y else 1 - one_of_two y) = 2%:R^-1.
  by rewrite /one_of_two eq_sym (negbTE ty) eqxx half_compl if_same.
congr (_ * _); have [e|neq] := eqVneq (X :\ y) T.
  have -> : (X == T)%:R + (X == y |: T)%:R = 1 :> R.
    case: (boolP (y \in X)) => yX.
      have -> : X = y |: T by rewrite -e setD1K.
      rewrite eqxx; case: eqP => [e'|_]; last by rewrite mulr0n mulr1n add0r.
      by move: yT; rewrite -e' setU11.
    have -> : X = T.
      by rewrite -e; apply/setP => i; rewrite !inE; case: eqP => // ->; apply/negbTE.
    rewrite eqxx; case: eqP => [e'|_]; last by rewrite mulr0n mulr1n addr0.
    by move: yT; rewrite e' setU11.
  apply: big1 => i /andP[it iy]; rewrite /one_of_two (negbTE it) (negbTE iy).
  by rewrite -e !inE iy /=; case: (i \in X); rewrite ?mulr1n ?mulr0n ?subr0.
have -> : (X == T)%:R + (X == y |: T)%:R = 0 :> R.
  case: eqP => [e|_].
    move: neq; rewrite e => /eqP []; apply/setP => i; rewrite !inE.
    by case: eqP => // ->; rewrite (negbTE yT).
  case: eqP => [e|_]; last by rewrite !mulr0n addr0.
  by move: neq; rewrite e setU1K ?eqxx.
have [i] : exists i, (i \in X :\ y) != (i \in T).
  apply/existsP; apply: contraR neq; rewrite negb_exists => /forallP e.
  by apply/eqP/setP => i; have := e i; rewrite negbK => /eqP.
move=> neqi; have iy : i != y.
  by apply: contraNneq neqi => ->; rewrite !inE eqxx (negbTE yT).
have it : i != t.
  by apply: contraNneq neqi => ->; rewrite !inE (negbTE tX) (negbTE tT) andbF.
rewrite (bigD1 i) /= ?it // /one_of_two (negbTE it) (negbTE iy).
rewrite !inE iy /= in neqi.
by case: (i \in X) neqi; case: (i \in T) => //= _; rewrite ?mulr1n ?subrr mul0r.
Qed.

Let k := #|T|.+1.

Lemma size_with (X : {set I}) : t \notin X ->
  (if #|t |: X| == k then others one_of_two t X else 0) = 2%:R^-1 * (X == T)%:R.
Proof.
move=> tX; rewrite others_one_of_two // cardsU1 tX add1n /k eqSS.
case: (X =P T) => [->|neq]; last rewrite mulr0n add0r.
  rewrite eqxx mulr1n; case: eqP => [e|_]; last by rewrite mulr0n addr0.
  by have := yT; rewrite [in y \in T]e setU11.
case: (X =P y |: T) => [->|_]; last by rewrite mulr0n mulr0 if_same.
by rewrite cardsU1 yT add1n; case: eqP => // /eqP; rewrite mulr0 eqn_leq ltnn.
Qed.

Lemma size_without (X : {set I}) : t \notin X ->
  (if #|X| == k then others one_of_two t X else 0) = 2%:R^-1 * (X == y |: T)%:R.
Proof.
move=> tX; rewrite others_one_of_two // /k.
case: (X =P y |: T) => [->|neq].
  rewrite cardsU1 yT add1n eqxx; case: eqP => [e|_]; last by rewrite mulr0n add0r.
  by have := yT; rewrite -e setU11.
case: (X =P T) => [->|_]; last by rewrite !mulr0n addr0 mulr0 if_same.
by case: eqP => // /eqP; rewrite ?mulr0n ?mulr0 // eqn_leq ltnn andbF.
Qed.

Lemma sum_one_of_two (Z : {set I}) (F : {set I} -> R) : t \notin Z ->
  \sum_(X : {set I} | t \notin X) 2%:R^-1 * (X == Z)%:R * F X = 2%:R^-1 * F Z.
Proof.
move=> tZ; rewrite (bigD1 Z) //= eqxx mulr1 big1 ?addr0 // => X /andP[_ /negbTE ->].
by rewrite mulr0 mul0r.
Qed.

Lemma t_y_T : t \notin y |: T.
Proof. by rewrite !inE (negbTE ty) (negbTE tT). Qed.

Lemma weighted_with (F : {set I} -> R) :
  \sum_(X : {set I} | t \in X) (if #|X| == k then weight one_of_two X else 0) * F X =
  2%:R^-1 * q * F (t |: T).
Proof.
rewrite sum_with; have := sum_one_of_two (fun X => q * F (t |: X)) tT; rewrite mulrA => <-.
apply: eq_bigr => X tX; rewrite -size_with // (weight_with _ tX) -/(others _ t X).
rewrite {1}/one_of_two eqxx; case: ifP => _; last by rewrite !mul0r.
by real_ring.
Qed.

Lemma weighted_without (F : {set I} -> R) :
  \sum_(X : {set I} | t \notin X) (if #|X| == k then weight one_of_two X else 0) * F X =
  2%:R^-1 * (1 - q) * F (y |: T).
Proof.
have := sum_one_of_two (fun X => (1 - q) * F X) t_y_T; rewrite mulrA => <-.
apply: eq_bigr => X tX; rewrite -size_without // (weight_without _ tX) -/(others _ t X).
rewrite {1}/one_of_two eqxx; case: ifP => _; last by rewrite !mul0r.
by real_ring.
Qed.

Lemma of_size_one_of_two : of_size one_of_two k = 2%:R^-1.
Proof.
rewrite /of_size big_mkcond (bigID (fun X : {set I} => t \in X)) /=.
have -> : 2%:R^-1 = 2%:R^-1 * q * 1 + 2%:R^-1 * (1 - q) * 1 :> R by real_ring.
rewrite -(weighted_with (fun _ => 1)) -(weighted_without (fun _ => 1)).
by congr (_ + _); apply: eq_bigr => X _; rewrite mulr1.
Qed.

Lemma one_of_two_mass_ge0 (X : {set I}) :
  0 <= (if #|X| == k then weight one_of_two X else 0) / of_size one_of_two k.
Proof.
rewrite of_size_one_of_two divr_ge0 ?invr_ge0 ?ler0n //.
by case: ifP => // _; apply: weight_ge0 one_of_two_probabilities.
Qed.

Lemma one_of_two_mass_sum :
  \sum_(X : {set I}) (if #|X| == k then weight one_of_two X else 0) / of_size one_of_two k = 1.
Proof.
rewrite -mulr_suml -big_mkcond -/(of_size one_of_two k) divff //.
by rewrite of_size_one_of_two invr_eq0 pnatr_eq0.
Qed.

Definition pair_law : prior R I := Law one_of_two_mass_ge0 one_of_two_mass_sum.

Lemma pair_law_bounded : bounded_independent pair_law.
Proof.
exists one_of_two, k; split=> //; first exact: one_of_two_probabilities.
by rewrite of_size_one_of_two invr_gt0 ltr0n.
Qed.

Lemma two_halves (x : R) : 2%:R^-1 * x / 2%:R^-1 = x.
Proof. by rewrite mulrAC divff ?mul1r // invr_eq0 pnatr_eq0. Qed.

Lemma joint_pair (A : mechanism R I O) S : joint pair_law A t S = q * Pr (A (t |: T)) S.
Proof.
rewrite /joint -[RHS]two_halves mulrA -(weighted_with (fun X => Pr (A X) S)) mulr_suml.
by apply: eq_bigr => X _; rewrite /= of_size_one_of_two mulrAC.
Qed.

Lemma doubt_pair (A : mechanism R I O) S : doubt pair_law A t S = (1 - q) * Pr (A (y |: T)) S.
Proof.
rewrite /doubt -[RHS]two_halves mulrA -(weighted_without (fun X => Pr (A X) S)) mulr_suml.
by apply: eq_bigr => X _; rewrite /= of_size_one_of_two mulrAC.
Qed.

Lemma belief_pair : belief pair_law t = q.
Proof.
rewrite /belief -[RHS]two_halves -[_ * q]mulr1 -(weighted_with (fun _ => 1)) mulr_suml.
by apply: eq_bigr => X _; rewrite /= of_size_one_of_two mulr1.
Qed.

End OneOfTwo.

Section Theorem_4_8.
Variables (R : realFieldType) (I O : finType).
Variables (A : mechanism R I O) (c : R).
Hypothesis c1 : 1 <= c.

Theorem replace_one_is_positive_membership :
  replace_one_dp c A <-> forall D, bounded_independent D -> positive_membership c D A.
Proof.
split=> [dp D DB | pmp T t y S tT yT].
  by apply: favours_positive_membership => // t S; apply: replace_one_favours.
have [->|ty] := eqVneq t y; first by rewrite ler_pemull ?Pr_ge0.
apply: small_belief; rewrite ?Pr_ge0 // => q q0 q1 s0.
have q01 : 0 <= q <= 1 by rewrite ltW.
have := pmp _ (pair_law_bounded tT yT ty q01) t S.
by rewrite /posterior (seen_split _ A t S) joint_pair doubt_pair belief_pair => /(_ s0) [].
Qed.

(* By symmetry, which replace-one DP has. *)
Theorem negative_membership_is_replace_one :
  (forall D, bounded_independent D -> negative_membership c D A) -> replace_one_dp c A.
Proof.
move=> nmp T u t S uT tT.
have [->|tu] := eqVneq u t; first by rewrite ler_pemull ?Pr_ge0.
have ty : t != u by rewrite eq_sym.
apply: small_belief; rewrite ?Pr_ge0 // => q q0 q1 s0.
have q01 : 0 <= 1 - q <= 1 by rewrite subr_ge0 q1 ler_subl_addr ler_addl ltW.
have := nmp _ (pair_law_bounded tT uT ty q01) t S.
rewrite /posterior (seen_split _ A t S) joint_pair doubt_pair belief_pair.
rewrite !subKr addrC => /(_ s0) [+ _].
by rewrite one_minus_div // addrK.
Qed.

End Theorem_4_8.

(* tramer-2015, Theorem 2, and its reflection for doubts. *)

Section Theorem_2.
Variables (R : realFieldType) (I O : finType).
Add Ring real_ring : (real_ring_laws R).
Variables (A : mechanism R I O) (c a b : R).
Hypotheses (c1 : 1 <= c).

Theorem bounded_priors D t S : 0 <= a -> 0 <= b ->
  replace_one_dp c A -> bounded_independent D -> between a b D t -> 0 < seen D A S ->
  posterior D A t S <= gamma_of c a b * belief D t /\
  (1 - belief D t) / gamma_of c a b <= 1 - posterior D A t S.
Proof.
by move=> a0 b0 dp DB btw s0; apply: beliefs_within_gamma => //; apply: replace_one_favours.
Qed.

Theorem bounded_priors_of_doubt D t S : a <= 1 -> b <= 1 ->
  replace_one_dp c A -> bounded_independent D -> between a b D t -> 0 < seen D A S ->
  1 - posterior D A t S <= gamma_of c (1 - b) (1 - a) * (1 - belief D t) /\
  belief D t / gamma_of c (1 - b) (1 - a) <= posterior D A t S.
Proof.
by move=> a1 b1 dp DB btw s0; apply: doubts_within_gamma => //; apply: replace_one_disfavours.
Qed.

End Theorem_2.

(* It is attained: answer by a coin whether t is in, truly with odds c to 1. *)

Section Attained.
Variables (R : realFieldType) (I : finType) (c : R) (t : I).
Add Ring real_ring : (real_ring_laws R).
Hypothesis c1 : 1 <= c.

Let c0 : 0 < c. Proof. by apply: lt_le_trans c1. Qed.
Let d0 : 0 < c + 1. Proof. by rewrite addr_gt0 ?ltr01. Qed.

Definition answer (T : {set I}) (o : bool) : R := (if (t \in T) == o then c else 1) / (c + 1).

Lemma answer_ge0 T o : 0 <= answer T o.
Proof. by rewrite /answer divr_ge0 ?(ltW d0) //; case: ifP => _; rewrite ?ler01 // ltW. Qed.

Lemma answer_sum T : \sum_o answer T o = 1.
Proof.
rewrite big_bool /answer; case: (t \in T); rewrite /= -mulrDl ?[1 + c]addrC divff //; exact: lt0r_neq0.
Qed.

Definition coin_answer : mechanism R I [finType of bool] := fun T => Law (answer_ge0 T) (answer_sum T).

Lemma answer_within T T' o : answer T o <= c * answer T' o.
Proof.
rewrite /answer mulrA ler_pmul2r ?invr_gt0 //; have c0' := ltW c0.
have cc : c <= c * c by rewrite ler_pemull.
have c2 : 1 <= c * c by apply: le_trans cc.
by case: ifP => _; case: ifP => _; rewrite ?mulr1.
Qed.

Lemma coin_answer_within T T' S : Pr (coin_answer T) S <= c * Pr (coin_answer T') S.
Proof. by rewrite /Pr mulr_sumr; apply: ler_sum => o _; apply: answer_within. Qed.

Lemma coin_answer_dp : replace_one_dp c coin_answer /\ add_remove_dp c coin_answer.
Proof.
by split; [move=> T u v S _ _ | split=> T u S _]; apply: coin_answer_within.
Qed.

Theorem attained (D : prior R I) :
  posterior D coin_answer t [set true] = cap c (belief D t).
Proof.
have j : joint D coin_answer t [set true] = c / (c + 1) * belief D t.
  rewrite /joint /belief mulr_sumr; apply: eq_bigr => T tT.
  by rewrite Pr_set1 /= /answer tT eqxx mulrC.
have u : doubt D coin_answer t [set true] = 1 / (c + 1) * (1 - belief D t).
  rewrite /doubt belief_compl mulr_sumr; apply: eq_bigr => T tT.
  by rewrite Pr_set1 /= /answer (negbTE tT) mulrC.
rewrite /posterior (seen_split D coin_answer t) j u /cap.
have -> : c / (c + 1) * belief D t + 1 / (c + 1) * (1 - belief D t) =
  ((c - 1) * belief D t + 1) / (c + 1) by real_ring.
by rewrite [X in X / _]mulrAC same_scale.
Qed.

(* So gamma is no smaller for this mechanism, whenever some prior of the family believes
   t with probability a, or b: both terms of the maximum are needed. *)

Theorem gamma_needed (gamma : R) (D : prior R I) :
  0 < gamma -> 0 < belief D t < 1 -> positive_membership gamma D coin_answer ->
  gamma_of c (belief D t) (belief D t) <= gamma.
Proof.
move=> g0 /andP[p0 p1] pmp.
have s0 : 0 < seen D coin_answer [set true].
  rewrite (seen_split D coin_answer t); apply: ltr_paddr; first exact: doubt_ge0.
  have -> : joint D coin_answer t [set true] = c / (c + 1) * belief D t.
    rewrite /joint /belief mulr_sumr; apply: eq_bigr => T tT.
    by rewrite Pr_set1 /= /answer tT eqxx mulrC.
  by rewrite mulr_gt0 // divr_gt0.
have [] := pmp t [set true] s0; rewrite attained.
have sp := spread_gt0 c1 (ltW p0); have np : 0 < 1 - belief D t by rewrite subr_gt0.
have -> : 1 - cap c (belief D t) = (1 - belief D t) / ((c - 1) * belief D t + 1).
  by rewrite /cap one_minus_div //; congr (_ / _); real_ring.
rewrite /cap mulrAC (ler_pmul2r p0) (ler_pmul2l np) lef_pinv ?posrE // => le1 le2.
by rewrite /gamma_of le_maxl le1 le2.
Qed.

End Attained.

Print Assumptions replace_one_is_positive_membership.
Print Assumptions negative_membership_is_replace_one.
Print Assumptions bounded_priors.
Print Assumptions bounded_priors_of_doubt.
Print Assumptions attained.
Print Assumptions gamma_needed.
