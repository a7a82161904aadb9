From mathcomp Require Import all_ssreflect all_algebra.
From Deniable Require Import arithmetic model attacks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*          From trade-off functions, and from Gaussian DP, to advantage      *)
(*                                                                            *)
(* trade_off f P Q: an attack that says yes with probability x under Q misses *)
(* at least f(x) under P. Laws of outputs are finite; f is any function.      *)
(* Of the normal distribution function only this is used: it never falls, it  *)
(* is symmetric, and it is concave above 0 (its density falls there). That    *)
(* these hold of it is shown in normal.v.                                     *)
(******************************************************************************)

Section TradeOff.
Variables (R : realFieldType) (O : finType).
Add Ring real_ring : (real_ring_laws R).

Implicit Types (P Q : law R O) (a : O -> R) (f : R -> R).

Definition trade_off f P Q :=
  forall a, attack a -> f (power Q a) <= 1 - power P a.

(* No attack has an advantage above the largest 1 - x - f(x). *)
Theorem trade_off_advantage f P Q (top : R) :
  trade_off f P Q -> (forall x, 0 <= x <= 1 -> 1 - x - f x <= top) ->
  forall a, attack a -> advantage P Q a <= top.
Proof.
move=> to le a at_; apply: le_trans (le (power Q a) _); last first.
  rewrite sumr_ge0 /= => [|o _]; last by have /andP[a0 _] := at_ o; rewrite mulr_ge0 ?mass_ge0.
  rewrite -(mass_sum Q); apply: ler_sum => o _; have /andP[_ a1] := at_ o.
  by rewrite ler_pimulr ?mass_ge0.
have ge : 0 <= 1 - power P a - f (power Q a) by rewrite subr_ge0 to.
rewrite /advantage.
by apply: (le_by_difference ge); real_ring.
Qed.

(* Where f is convex, falls, and is its own mirror image, the largest is at the fixed point. *)
Theorem largest_at_fixed_point f (x0 : R) :
  (forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> f ((x + y) / 2%:R) <= (f x + f y) / 2%:R) ->
  (forall x y, x <= y -> f y <= f x) ->
  (forall x, 0 <= x <= 1 -> 0 <= f x <= 1 /\ f (f x) <= x) ->
  f x0 = x0 ->
  forall x, 0 <= x <= 1 -> 1 - x - f x <= 1 - x0 - f x0.
Proof.
move=> convex falls mirror fixed x x01; have [f01 ff] := mirror x x01.
have half0 : 0 < 2%:R :> R by rewrite ltr0n.
pose m := (x + f x) / 2%:R.
have fm : f m <= m.
  apply: le_trans (convex x (f x) x01 f01) _; rewrite /m ler_pmul2r ?invr_gt0 //.
  by rewrite addrC ler_add2r.
have : x0 <= m.
  rewrite leNgt; apply/negP => lt; have := falls _ _ (ltW lt); rewrite fixed => le.
  by have := le_lt_trans (le_trans le fm) lt; rewrite ltxx.
rewrite /m ler_pdivl_mulr // fixed => le.
by apply: (@le_by_difference _ _ _ (x + f x - x0 * 2%:R)); [rewrite subr_ge0 | real_ring].
Qed.

(* mu-Gaussian DP, with F for the normal distribution function: at threshold s an attack
   that says yes with probability 1 - F(s) misses at least F(s - mu). *)

Definition threshold_dp (F : R -> R) (mu : R) P Q :=
  forall a s, attack a -> power Q a <= 1 - F s -> F (s - mu) <= 1 - power P a.

Section Symmetric.
Variable F : R -> R.
Hypothesis symmetric : forall s, F (- s) = 1 - F s.
Hypothesis rises : forall s r, s <= r -> F s <= F r.
(* Above 0 it rises ever more slowly: its density falls. *)
Hypothesis slows : forall x y h, 0 <= x -> x <= y -> 0 <= h ->
  F (y + h) - F y <= F (x + h) - F x.
Hypothesis bounded : forall s, F s <= 1.
Hypothesis onto : forall y, 0 < y < 1 -> exists s, F s = y.

Let two0 : 0 < 2%:R :> R. Proof. by rewrite ltr0n. Qed.

Lemma at_zero : F 0 = 2%:R^-1.
Proof.
have := symmetric 0; rewrite oppr0 => e.
apply: (mulIf (lt0r_neq0 two0)); rewrite mulVf ?lt0r_neq0 //.
have -> : F 0 * 2%:R = F 0 + F 0 by real_ring.
by rewrite {1}e subrK.
Qed.

Lemma twice_half (x : R) : x / 2%:R + x / 2%:R = x.
Proof. by rewrite -mulr2n -mulr_natr divfK ?lt0r_neq0. Qed.

Lemma middle_above s mu : 0 <= mu -> mu / 2%:R <= s ->
  F s - F (s - mu) <= 2%:R * F (mu / 2%:R) - 1.
Proof.
move=> mu0 hs; set m := mu / 2%:R; have m0 : 0 <= m by rewrite divr_ge0 // ler0n.
have mm : m + m = mu := twice_half mu.
have e0 : F 0 + F 0 = 1 by rewrite at_zero -[RHS](twice_half 1) mul1r.
case: (leP mu s) => [mus|smu].
  have := @slows 0 (s - mu) mu (lexx 0); rewrite subr_ge0 subrK add0r => /(_ mus mu0) le1.
  have := @slows 0 m m (lexx 0) m0 m0; rewrite add0r mm => le2.
  apply: le_trans le1 _; apply: (@le_by_difference _ _ _ (F m - F 0 - (F mu - F m))).
    by rewrite subr_ge0.
  have -> : 2%:R * F m - 1 = 2%:R * F m - (F 0 + F 0) by rewrite e0.
  by real_ring.
have lt0 : 0 <= mu - s by rewrite subr_ge0 ltW.
have := @slows (mu - s) m (s - m) lt0 _ _.
have -> : m + (s - m) = s by real_ring.
have -> : mu - s + (s - m) = m by rewrite -mm; real_ring.
rewrite subr_ge0 => /(_ _ hs) le.
have {}le : F s - F m <= F m - F (mu - s).
  by apply: le; rewrite ler_subl_addr -mm ler_add2l.
have -> : s - mu = - (mu - s) by real_ring.
rewrite symmetric; apply: (@le_by_difference _ _ _ (F m - F (mu - s) - (F s - F m))).
  by rewrite subr_ge0.
by real_ring.
Qed.

(* A window of width mu holds most in the middle. *)
Lemma middle_window s mu : 0 <= mu -> F s - F (s - mu) <= 2%:R * F (mu / 2%:R) - 1.
Proof.
move=> mu0; case: (leP (mu / 2%:R) s) => [|/ltW lt]; first exact: middle_above.
have := @middle_above (mu - s) mu mu0 _.
have -> : mu - s - mu = - s by real_ring.
have -> : mu - s = - (s - mu) by real_ring.
rewrite !symmetric => le; have -> : F s - F (s - mu) = 1 - F (s - mu) - (1 - F s) by real_ring.
by apply: le; rewrite opprB ler_subr_addr -{2}(twice_half mu) ler_add2l.
Qed.

Lemma power01 (P : law R O) a : attack a -> 0 <= power P a <= 1.
Proof.
move=> at_; rewrite sumr_ge0 /= => [|o _]; last by have /andP[a0 _] := at_ o; rewrite mulr_ge0 ?mass_ge0.
rewrite -(mass_sum P); apply: ler_sum => o _; have /andP[_ a1] := at_ o.
by rewrite ler_pimulr ?mass_ge0.
Qed.

(* dong-roth-su-2022, Corollary 1, in its consequence for advantage: 2 F(mu/2) - 1. *)
Theorem threshold_advantage mu P Q a : 0 <= mu ->
  threshold_dp F mu P Q -> attack a ->
  advantage P Q a <= 2%:R * F (mu / 2%:R) - 1.
Proof.
move=> mu0 dp at_; have /andP[q0 q1] := power01 Q at_; have /andP[p0 p1] := power01 P at_.
have top0 : 0 <= 2%:R * F (mu / 2%:R) - 1.
  rewrite subr_ge0 mulrC -ler_pdivr_mulr // mul1r.
  have h : 0 <= mu / 2%:R by rewrite divr_ge0 // ler0n.
  by have := rises h; rewrite at_zero.
rewrite /advantage; case: (ltgtP (power Q a) 1) q1 => // [q1 _|-> _]; last first.
  by apply: le_trans top0; rewrite subr_le0.
have [qe|qn] := eqVneq (power Q a) 0.
  rewrite qe subr0; apply: le_trans top0; rewrite leNgt; apply/negP => pos.
  have half1 : power P a / 2%:R < power P a.
    by rewrite -{2}(twice_half (power P a)) ltr_addl divr_gt0.
  have h0 : 0 < power P a / 2%:R by rewrite divr_gt0.
  have [s Fs] : exists s, F s = 1 - power P a / 2%:R.
    by apply: onto; rewrite subr_gt0 (lt_le_trans half1) //= ltr_subl_addr ltr_addl.
  have := dp a (s + mu) at_; rewrite addrK Fs qe subr_ge0.
  move=> /(_ (bounded _)); rewrite ler_add2l ler_opp2 => le.
  by have := le_lt_trans le half1; rewrite ltxx.
have qpos : 0 < power Q a by rewrite lt_def qn.
have [s Fs] : exists s, F s = 1 - power Q a.
  by apply: onto; rewrite subr_gt0 q1 ltr_subl_addr ltr_addl.
have := dp a s at_; rewrite Fs subKr => /(_ (lexx _)) le.
apply: le_trans (middle_window s mu0); rewrite Fs.
apply: (@le_by_difference _ _ _ (1 - power P a - F (s - mu))); first by rewrite subr_ge0.
by real_ring.
Qed.

End Symmetric.
End TradeOff.

Print Assumptions trade_off_advantage.
Print Assumptions largest_at_fixed_point.
Print Assumptions threshold_advantage.
