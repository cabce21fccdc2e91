/** The class of each example; two bytes where there are more than 256 classes. */
export type Labels = Uint8Array | Uint16Array;
