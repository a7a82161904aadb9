; Bits of packed genotypes, counted in groups of people: each row is read once from memory.
;
; A person has two bits, the low one first. A row has twice `words` words of eight bytes, at any
; address, `stride` bytes after the one before. The word j of its first half and the word j of its
; second one become a word of low bits and a word of high ones. In both, the even bits are people of
; the first half, and the odd bits people of the second; so are the masks, (n groups, words), of a
; bit for each member. Added to `counts`, (n rows, 3, n groups), are the members whose low bit is
; set, those whose high bit is, and those with both. There is a word, a row and a group at least.

declare i64 @llvm.ctpop.i64(i64)

define void @count(ptr noalias readonly %rows, i64 %n_rows, i64 %stride, i64 %words,
                   ptr noalias readonly %masks, i64 %n_groups, ptr noalias %counts) {
start:
  br label %row

row:
  %i = phi i64 [ 0, %start ], [ %next_i, %row_done ]
  %offset = mul i64 %i, %stride
  %row_at = getelementptr i8, ptr %rows, i64 %offset
  %half_at = getelementptr i64, ptr %row_at, i64 %words
  br label %group

group:
  %k = phi i64 [ 0, %row ], [ %next_k, %group_done ]
  %first = mul i64 %k, %words
  %mask_at = getelementptr i64, ptr %masks, i64 %first
  br label %word

word:
  %j = phi i64 [ 0, %group ], [ %next_j, %word ]
  %low = phi i64 [ 0, %group ], [ %next_low, %word ]
  %high = phi i64 [ 0, %group ], [ %next_high, %word ]
  %both = phi i64 [ 0, %group ], [ %next_both, %word ]
  %x_at = getelementptr i64, ptr %row_at, i64 %j
  %x = load i64, ptr %x_at, align 1
  %y_at = getelementptr i64, ptr %half_at, i64 %j
  %y = load i64, ptr %y_at, align 1
  %m_at = getelementptr i64, ptr %mask_at, i64 %j
  %m = load i64, ptr %m_at, align 8
  %x_low = and i64 %x, 6148914691236517205 ; 0x5555555555555555, the even bits
  %y_moved = shl i64 %y, 1
  %y_low = and i64 %y_moved, -6148914691236517206 ; the odd bits
  %lows = or i64 %x_low, %y_low
  %x_moved = lshr i64 %x, 1
  %x_high = and i64 %x_moved, 6148914691236517205
  %y_high = and i64 %y, -6148914691236517206
  %highs = or i64 %x_high, %y_high
  %low_bits = and i64 %lows, %m
  %high_bits = and i64 %highs, %m
  %both_bits = and i64 %low_bits, %highs
  %more_low = call i64 @llvm.ctpop.i64(i64 %low_bits)
  %more_high = call i64 @llvm.ctpop.i64(i64 %high_bits)
  %more_both = call i64 @llvm.ctpop.i64(i64 %both_bits)
  %next_low = add i64 %low, %more_low
  %next_high = add i64 %high, %more_high
  %next_both = add i64 %both, %more_both
  %next_j = add i64 %j, 1
  %more_words = icmp ult i64 %next_j, %words
  br i1 %more_words, label %word, label %group_done

group_done:
  %counts_of_row = mul i64 %i, 3
  %low_of_row = mul i64 %counts_of_row, %n_groups
  %low_place = add i64 %low_of_row, %k
  %high_place = add i64 %low_place, %n_groups
  %both_place = add i64 %high_place, %n_groups
  %low_at = getelementptr i64, ptr %counts, i64 %low_place
  %high_at = getelementptr i64, ptr %counts, i64 %high_place
  %both_at = getelementptr i64, ptr %counts, i64 %both_place
  %old_low = load i64, ptr %low_at, align 8
  %old_high = load i64, ptr %high_at, align 8
  %old_both = load i64, ptr %both_at, align 8
  %new_low = add i64 %old_low, %next_low
  %new_high = add i64 %old_high, %next_high
  %new_both = add i64 %old_both, %next_both
  store i64 %new_low, ptr %low_at, align 8
  store i64 %new_high, ptr %high_at, align 8
  store i64 %new_both, ptr %both_at, align 8
  %next_k = add i64 %k, 1
  %more_groups = icmp ult i64 %next_k, %n_groups
  br i1 %more_groups, label %group, label %row_done

row_done:
  %next_i = add i64 %i, 1
  %more_rows = icmp ult i64 %next_i, %n_rows
  br i1 %more_rows, label %row, label %done

done:
  ret void
}
