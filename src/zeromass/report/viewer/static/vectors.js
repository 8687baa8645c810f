// Vectors and small matrices.

const dot = (a, b) => {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
};
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times = (A, x) => A.map((row) => dot(row, x));
const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));
const product = (A, B) => {
  const columns = transposed(B);
  return A.map((row) => columns.map((column) => dot(row, column)));
};
const inverse3 = (A) => transposed([0, 1, 2].map((j) => solved(A, [0, 1, 2].map((i) => (i === j ? 1 : 0)))));
const added = (a, b, by = 1) => a.map((x, i) => x + by * b[i]);
