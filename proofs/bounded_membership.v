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
rewrite !fewer_cons => /eqP; rewrite paddr_eq0 ?mulr_ge0 ?fewer_ge0 //.
rewrite !mulf_eq0 => /andP[/orP[/eqP->|/eqP e] /orP[/eqP->|/eqP e']].
- by rewrite !mul0r addr0.
- by rewrite mul0r add0r ih ?mulr0.
- by rewrite mul0r addr0 ih ?mulr0.
- by rewrite !ih ?mulr0 ?addr0.
Qed.

(* How many are drawn is log-concave. *)
Lemma log_concave s i j : (i <= j)%N ->
  fewer s i one_ * fewer s j.+1 one_ <= fewer s i.+1 one_ * fewer s j one_.
Proof.
elim: s i j => [|x s ih] [|i] j ij.
- by rewrite mul0r mulr_ge0 ?fewer_ge0.
- by case: j ij => // j _; rewrite /= mulr0 mulr_ge0 // fewer_ge0.
- by rewrite mul0r mulr_ge0 ?fewer_ge0.
case: j ij => // j ij; rewrite !fewer_cons.
set a := fewer s; set w := u x; set z := v x.
have w0 : 0 <= w by []. have z0 : 0 <= z by [].
have p1 : a i.+1 one_ * a j.+2 one_ <= a i.+2 one_ * a j.+1 one_ by apply: ih.
have p2 : a i one_ * a j.+2 one_ <= a i.+1 one_ * a j.+1 one_ by apply: ih; apply: leqW.
have p3 : a i one_ * a j.+1 one_ <= a i.+1 one_ * a j one_ by apply: ih.
have p4 : a i.+1 one_ * a j.+1 one_ <= a i.+2 one_ * a j one_.
  case: (ltngtP i j) ij => // [lt _|-> _]; last by rewrite mulrC.
  exact: ih.
apply: (@le_by_difference _ _ _ (
    z * z * (a i.+2 one_ * a j.+1 one_ - a i.+1 one_ * a j.+2 one_)
  + z * w * (a i.+1 one_ * a j.+1 one_ - a i one_ * a j.+2 one_)
  + z * w * (a i.+2 one_ * a j one_ - a i.+1 one_ * a j.+1 one_)
  + w * w * (a i.+1 one_ * a j one_ - a i one_ * a j.+1 one_))); last first.
  by rewrite /one_; real_ring.
by rewrite !addr_ge0 // !mulr_ge0 // subr_ge0.
Qed.

(* A draw of k against one of k + 1: the heart of li-2013, Theorem 4.8. *)
Theorem smaller_draw c s k g h : uniq s -> 0 <= c -> nonnegative g -> nonnegative h ->
  (forall T y, T \subset s -> y \in s -> y \notin T -> g T <= c * h (y |: T)) ->
  fewer s k.+1 one_ * fewer s k g <= c * (fewer s k one_ * fewer s k.+1 h).
Proof.
move=> + c0; elim: s k g h => [|x s ih] [|k] g h us g0 h0 gh.
- by rewrite /= mulr0 mul0r mulr0.
- by rewrite /= mul0r mulr0 mulr0.
- by rewrite /= mulr0 mul0r mulr0.
case/andP: us => xs us.
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
  have {}gh T : T \subset s -> g T <= c * hx T.
    by move=> ts; apply: gh; [exact: sub | rewrite inE eqxx | exact: notin].
  elim: s {ih us xs sub subx notin fa fb} k.+1 g hx {g0 h0 gx gx0} hx0 gh => [|y s ih] [|j] g' h' h0 gh' //=.
  - by rewrite mulr0.
  - by case: j => [|j]; rewrite ?mulr0 //; apply: gh'; apply/subsetP => i; rewrite inE.
  - by rewrite mulr0.
  rewrite mulrDr !(mulrCA c); apply: ler_add; apply: ler_wpmul2l => //.
    apply: (ih j.+1) => // T ts; apply: gh'; apply/subsetP => i iT.
    by rewrite inE (subsetP ts _ iT) orbT.
  case: j => [|j]; first by rewrite mulr0.
  apply: (ih j.+1 (fun T => g' (y |: T)) (fun T => h' (y |: T))) => // T ts; apply: gh'.
  apply/subsetP => i; rewrite !inE => /orP[->//|iT].
  by rewrite (subsetP ts _ iT) orbT.
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
have : 0 <= u x by []. have : 0 <= v x by []. move: (u x) (v x) => w z.
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
