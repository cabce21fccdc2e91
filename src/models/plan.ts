import type { Schema } from '../core/math/schema.ts';
import { conflict } from '../experiment/conflicts.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { type DataSpec, dataSpecs } from './data.ts';
import { type Model, misfit, modelSchema, models } from './model.ts';
import { type SparseDataSpec, sparseDataSpecs } from './sparse-data.ts';
import { type Misfit, sparseMisfit, wholeMisfit } from './sparse-misfit.ts';
import { type SparseModel, sparseModels, sparseSchema } from './sparse-model.ts';

/** The things an experiment names: a model made of layers over images, or one over sparse examples. */
export type Named = {
  readonly schema: Schema;
  /** Examples in one epoch. */
  readonly trainCount: number;
} & (
  | { readonly kind: 'layers'; readonly model: Model; readonly data: DataSpec }
  | {
      readonly kind: 'sparse';
      readonly model: SparseModel;
      readonly data: SparseDataSpec;
      /** At most. */
      readonly entriesPerExample: number;
    }
);

/** What models and data are called, by their names, in the order the page lists them. */
export const modelTitles: Readonly<Record<string, string>> = titlesOf({ ...models, ...sparseModels });
export const dataTitles: Readonly<Record<string, string>> = titlesOf({ ...dataSpecs, ...sparseDataSpecs });

function titlesOf(table: Readonly<Record<string, { readonly title: string }>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([name, { title }]) => [name, title]));
}

const find = <Thing>(table: Readonly<Record<string, Thing>>, name: string): Thing | null =>
  Object.hasOwn(table, name) ? (table[name] as Thing) : null;

const unknown = (what: string, titles: Readonly<Record<string, string>>, name: string) =>
  new RangeError(`unknown ${what} "${name}": use one of ${Object.keys(titles).join(', ')}`);

/** Looks up an experiment's model and data; throws with the known names if one is unknown, or with why they do not go together. */
export function resolveExperiment(experiment: Experiment): Named {
  const [layered, sparse] = [find<Model>(models, experiment.model), find<SparseModel>(sparseModels, experiment.model)];
  if (!layered && !sparse) throw unknown('model', modelTitles, experiment.model);
  const images = find<DataSpec>(dataSpecs, experiment.data);
  const logs = find<SparseDataSpec>(sparseDataSpecs, experiment.data);
  if (!images && !logs) throw unknown('data', dataTitles, experiment.data);
  if (layered && images) return resolveLayers(layered, images, experiment);
  if (sparse && logs) {
    refuse(sparseMisfit(sparse, logs, experiment));
    const entriesPerExample = logs.entriesPerExample ?? experiment.entries;
    const schema = sparseSchema(sparse, entriesPerExample, experiment.features);
    return { kind: 'sparse', model: sparse, data: logs, entriesPerExample, schema, trainCount: experiment.examples };
  }
  const needed = sparse ? Object.keys(sparseDataSpecs) : Object.keys(dataSpecs);
  throw new RangeError(`the model ${experiment.model} takes other data than ${experiment.data}: ${needed.join(', ')}`);
}

function resolveLayers(model: Model, data: DataSpec, experiment: Experiment): Named {
  const clash = conflict(experiment);
  if (clash !== null) throw new RangeError(`${clash.key}: ${clash.text}`);
  const wrong = misfit(model, data);
  if (wrong !== null) throw new RangeError(wrong);
  if (experiment.batch > data.trainCount) {
    throw new RangeError(`batch ${experiment.batch} is more than the ${data.trainCount} examples there are`);
  }
  refuse(wholeMisfit(experiment));
  const schema = modelSchema(model, data.input, data.classes);
  return { kind: 'layers', model, data, schema, trainCount: data.trainCount };
}

/** Said with the setting's name first, as `parseExperiment` does. */
function refuse(misfit: Misfit | null): void {
  if (misfit) throw new RangeError(`${misfit.key}: ${misfit.text}`);
}
