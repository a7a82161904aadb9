From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import classical_sets.
From mathcomp.analysis Require Import reals topology normedtype derive realfun sequences exp.
From Deniable Require Import arithmetic model attacks trade_off.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory numFieldNormedType.Exports.
Local Open Scope ring_scope.

(******************************************************************************)
(*           The normal distribution function, by what determines it          *)
(*                                                                            *)
(* normal F: F has the derivative k e^(-x^2/2), for some k > 0, goes to 1 on  *)
(* the right and to 0 on the left. That one function does, and only one, and  *)
(* that k is 1 over the square root of 2 pi, is well known and not shown.     *)
(******************************************************************************)

Section Normal.
Variable R : realType.
Add Ring real_ring : (real_ring_laws R).

Definition bell (x : R) : R := expR (- (x * x / 2%:R)).

Definition normal (F : R -> R) :=
  [/\ exists2 k, 0 < k & forall x : R, is_derive x (1 : R) F (k * bell x),
      forall eta, 0 < eta -> exists s, forall x, s <= x -> 1 - eta <= F x <= 1 + eta &
      forall eta, 0 < eta -> exists s, forall x, x <= s -> - eta <= F x <= eta].

Lemma bell_gt0 x : 0 < bell x. Proof. exact: expR_gt0. Qed.

Lemma bell_falls x y : 0 <= x -> x <= y -> bell y <= bell x.
Proof.
move=> x0 xy; rewrite /bell ler_expR ler_opp2 ler_pmul2r ?invr_gt0 ?ltr0n //.
by apply: ler_pmul.
Qed.

Section One.
Variables (F : R -> R) (k : R).
Hypotheses (k0 : 0 < k) (dF : forall x : R, is_derive x (1 : R) F (k * bell x)).
Hypothesis right : forall eta, 0 < eta -> exists s, forall x, s <= x -> 1 - eta <= F x <= 1 + eta.
Hypothesis left : forall eta, 0 < eta -> exists s, forall x, x <= s -> - eta <= F x <= eta.

Let cF x y : {within `[x, y]%classic, continuous F}.
Proof.
apply: continuous_subspaceT => z; have := dF z => dFz.
exact/differentiable_continuous/derivable1_diffP.
Qed.

Lemma normal_gap x y : x < y ->
  exists c, [/\ x < c, c < y & F y - F x = k * bell c * (y - x)].
Proof.
move=> xy; have [c] := @MVT R F (fun x => k * bell x) x y xy (fun z _ => dF z) (@cF x y).
by rewrite in_itv /= => /andP[xc cy] e; exists c; split.
Qed.

Lemma normal_rises x y : x <= y -> F x <= F y.
Proof.
rewrite le_eqVlt => /orP[/eqP->//|xy]; have [c [_ _ e]] := normal_gap xy.
by rewrite -subr_ge0 e !mulr_ge0 ?ltW ?subr_gt0 // bell_gt0.
Qed.

(* Of two windows of one width above 0, the lower holds more. *)
Lemma normal_apart x y h : 0 <= x -> x + h <= y -> 0 <= h ->
  F (y + h) - F y <= F (x + h) - F x.
Proof.
move=> x0 apart; rewrite le_eqVlt => /orP[/eqP <-|h0]; first by rewrite !addr0 !subrr.
have xh : x < x + h by rewrite ltr_addl.
have yh : y < y + h by rewrite ltr_addl.
have [c [xc ch e]] := normal_gap xh; have [d [yd dh e']] := normal_gap yh.
have width z : z + h - z = h by rewrite addrAC subrr add0r.
rewrite e e' !width ler_wpmul2r ?(ltW h0) // ler_wpmul2l ?(ltW k0) // bell_falls //.
  by rewrite (le_trans x0) // ltW.
by rewrite (le_trans (ltW ch)) // (le_trans apart) // ltW.
Qed.

Lemma normal_slows x y h : 0 <= x -> x <= y -> 0 <= h ->
  F (y + h) - F y <= F (x + h) - F x.
Proof.
move=> x0 xy h0; case: (leP (x + h) y) => [apart|/ltW overlap]; first exact: normal_apart.
(* Where they overlap, what only one of them has decides. *)
have := @normal_apart x (x + h) (y - x) x0; rewrite addrCA subrr addr0.
have -> : x + h + (y - x) = y + h by real_ring.
rewrite overlap subr_ge0 => /(_ isT xy) le.
apply: (@le_by_difference _ _ _ (F y - F x - (F (y + h) - F (x + h)))).
  by rewrite subr_ge0.
by real_ring.
Qed.

Lemma normal_bounded s : F s <= 1.
Proof.
rewrite leNgt; apply/negP => above; pose eta := (F s - 1) / 2%:R.
have eta0 : 0 < eta by rewrite divr_gt0 ?ltr0n // subr_gt0.
have [r far] := right eta0; pose x := Num.max s r.
have /far /andP[_ le] : r <= x by rewrite le_maxr lexx orbT.
have up : F s <= F x by apply: normal_rises; rewrite le_maxr lexx.
have := le_trans up le; rewrite -ler_subl_addl leNgt => /negP; apply.
by rewrite /eta -{2}(twice_half (F s - 1)) ltr_addl.
Qed.

Lemma normal_symmetric s : F (- s) = 1 - F s.
Proof.
pose G (x : R) := F x + F (- x).
have dG x : is_derive x (1 : R) G 0.
  have d1 : is_derive x (1 : R) G (k * bell x + k * bell (- x) * - 1).
    exact: (is_deriveD (dF x) (is_derive1_comp (dF (- x)) (is_deriveNid x (1 : R)))).
  by apply: is_derive_eq d1 _; rewrite /bell mulrNN mulrN1 subrr.
have cG x y : G x = G y := is_derive_0_is_cst x y dG.
suff G1 : G s = 1 by rewrite -G1 /G /= addrAC subrr add0r.
apply/eqP; rewrite -subr_eq0 -normr_le0; apply/negP => /negP.
rewrite -ltNge => pos; pose eta := `|G s - 1| / 2%:R / 2%:R.
have eta0 : 0 < eta by rewrite !divr_gt0 ?ltr0n.
have [r far] := right eta0; have [l near] := left eta0.
pose x := Num.max r (- l).
have /far /andP[f1 f2] : r <= x by rewrite le_maxr lexx.
have /near /andP[n1 n2] : - x <= l by rewrite ler_oppl le_maxr lexx orbT.
have : `|G s - 1| <= eta + eta.
  rewrite (cG s x) /G /= ler_norml; apply/andP; split.
    have -> : F x + F (- x) - 1 = (F x - 1) + F (- x) by real_ring.
    by rewrite opprD ler_add // ler_subr_addl.
  have -> : F x + F (- x) - 1 = (F x - 1) + F (- x) by real_ring.
  by rewrite ler_add // ler_subl_addl.
rewrite /eta twice_half leNgt => /negP; apply.
by rewrite -{2}(twice_half `|G s - 1|) ltr_addl divr_gt0 ?ltr0n.
Qed.

Lemma normal_onto y : 0 < y < 1 -> exists s, F s = y.
Proof.
move=> /andP[y0 y1]; have ny0 : 0 < 1 - y by rewrite subr_gt0.
have [r far] := right ny0.
have [l near] := left y0.
pose a := Num.min l r; pose b := Num.max l r.
have ab : a <= b by rewrite (le_trans (y := l)) // ?le_minl ?le_maxr lexx.
have /near /andP[_ fa] : a <= l by rewrite le_minl lexx.
have /far /andP[fb _] : r <= b by rewrite le_maxr lexx orbT.
rewrite subKr in fb; have := @IVT R F a b y ab (@cF a b).
by rewrite le_minl fa /= le_maxr fb orbT => /(_ isT) [s _ e]; exists s.
Qed.

End One.

(* dong-roth-su-2022, Corollary 1, in its consequence for advantage. *)
Theorem gaussian_dp_to_advantage (O : finType) (F : R -> R) (mu : R) (P Q : law R O) a :
  normal F -> 0 <= mu -> threshold_dp F mu P Q -> attack a ->
  advantage P Q a <= 2%:R * F (mu / 2%:R) - 1.
Proof.
move=> [[k k0 dF] right left] mu0 dp at_; apply: threshold_advantage => //.
- exact: normal_symmetric dF right left.
- exact: normal_rises k0 dF.
- exact: normal_slows k0 dF.
- exact: normal_bounded k0 dF right.
- exact: normal_onto dF right left.
Qed.

End Normal.

Print Assumptions gaussian_dp_to_advantage.
