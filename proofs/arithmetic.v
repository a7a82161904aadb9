From Coq Require Import Ring_theory Ring.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(******************************************************************************)
(*               Identities of real numbers by Coq's ring tactic              *)
(*                                                                            *)
(* MathComp's own tactics for this are a package of their own, which not      *)
(* everybody has. Here the operations of a field are named, so that Coq's     *)
(* tactic finds them. A section says "Add Ring real_ring : (real_ring_laws R)"*)
(* and then "real_ring" proves identities.                                    *)
(******************************************************************************)

Section Operations.
Variable R : realFieldType.
Definition plus_ (x y : R) : R := x + y.
Definition times_ (x y : R) : R := x * y.
Definition minus_ (x y : R) : R := x - y.
Definition negate_ (x : R) : R := - x.
Definition invert_ (x : R) : R := x^-1.
Definition zero_ : R := 0.
Definition one_ : R := 1.

Lemma real_ring_laws :
  ring_theory zero_ one_ plus_ times_ minus_ negate_ (@eq R).
Proof.
split => //.
- exact: add0r.
- exact: addrC.
- exact: addrA.
- exact: mul1r.
- exact: mulrC.
- exact: mulrA.
- exact: mulrDl.
- exact: addrN.
Qed.

Lemma same_number (x y : R) : x = y -> x = y.
Proof. by []. Qed.

Lemma le_by_difference (x y d : R) : 0 <= d -> y - x = d -> x <= y.
Proof. by move=> d0 e; rewrite -subr_ge0 e. Qed.

Lemma one_minus_div (x y : R) : 0 < y -> 1 - x / y = (y - x) / y.
Proof. by move=> /lt0r_neq0 y0; rewrite mulrBl divff. Qed.

Lemma same_scale (x y k : R) : 0 < k -> (x / k) / (y / k) = x / y.
Proof. by move=> /lt0r_neq0 k0; rewrite invf_div mulrA divfK. Qed.

End Operations.

Ltac named_operations :=
  repeat match goal with
  | |- context [?x ^+ 2] => rewrite (expr2 x)
  | |- context [?x *+ 2] => rewrite (mulr2n x)
  end;
  apply: same_number;
  match goal with |- @eq (Num.RealField.sort ?R) _ _ =>
    repeat match goal with
    | |- context [@GRing.opp ?V ?x] => change (@GRing.opp V x) with (@negate_ R x)
    | |- context [@GRing.add ?V ?x ?y] => change (@GRing.add V x y) with (@plus_ R x y)
    | |- context [@GRing.mul ?V ?x ?y] => change (@GRing.mul V x y) with (@times_ R x y)
    | |- context [@GRing.inv ?V ?x] => change (@GRing.inv V x) with (@invert_ R x)
    | |- context [GRing.one ?V] => change (GRing.one V) with (one_ R)
    | |- context [GRing.zero ?V] => change (GRing.zero V) with (zero_ R)
    end
  end.

Ltac real_ring := named_operations; ring.
