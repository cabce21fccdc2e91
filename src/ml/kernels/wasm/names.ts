/** The gradient of relu, from its output and the output's gradient. A kernel that only wasm has here. */
export const RELU_GRADIENT = 'ReluGradient';
/** Sums over all dimensions but the last. A kernel that only wasm has here. */
export const COLUMN_SUMS = 'ColumnSums';
