import { type Schema, schemaOf } from '../core/math/schema.ts';

/** A model over sparse examples: one weight per feature, and a bias that comes last. */
export interface SparseModel {
  readonly name: string;
  readonly title: string;
  /** Only the parameters a batch touches travel, by their keys; otherwise all of them do, every time. */
  readonly movesKeys: boolean;
}

/** Every model over sparse examples there is, in the order the page lists them. */
export const sparseModels = {
  'sparse-logistic': { name: 'sparse-logistic', title: 'Sparse logistic regression', movesKeys: true },
  'dense-logistic': { name: 'dense-logistic', title: 'The same, all of it moved each step', movesKeys: false },
} as const satisfies Record<string, SparseModel>;

/** The layout of its parameters: feature k at k, the bias after the last. */
export const sparseSchema = ({ movesKeys }: SparseModel, entriesPerExample: number, features: number): Schema =>
  schemaOf(
    [
      { name: 'weights', shape: [features], init: { kind: 'zeros' } },
      { name: 'bias', shape: [1], init: { kind: 'zeros' } },
    ],
    // The bias is one more.
    movesKeys ? entriesPerExample + 1 : null,
  );
