"""Studies: many members of one program, moved side by side in SIMD lanes and on several cores."""
