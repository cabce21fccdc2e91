import type { Schema } from '../core/math/schema.ts';
import { conflict, type Experiment, type ExperimentKey, settingOf } from '../experiment/experiment.ts';
import { type Problem, ProblemsError } from '../experiment/problems.ts';
import { type DataSpec, dataSpecs } from './data.ts';
import { type Model, misfit, modelSchema, models } from './model.ts';
import { type SparseDataSpec, sparseDataSpecs } from './sparse-data.ts';
import { sparseMisfit, wholeMisfit } from './sparse-misfit.ts';
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

/** What a setting can be chosen from, with what each choice is called; null where it is not one of a list. */
export function choicesOf(key: ExperimentKey): Readonly<Record<string, string>> | null {
  if (key === 'model') return modelTitles;
  if (key === 'data') return dataTitles;
  const setting = settingOf(key);
  return setting.kind === 'choice' ? setting.choices : null;
}

const unknown = (key: 'model' | 'data', name: string): Problem<ExperimentKey> => {
  const known = Object.keys(key === 'model' ? modelTitles : dataTitles);
  return { key, text: `"${name}" is not known here: use one of ${known.join(', ')}` };
};

/** Looks up an experiment's model and data; throws a ProblemsError if one is unknown or something does not go together. */
export function resolveExperiment(experiment: Experiment): Named {
  const found = planned(experiment);
  if ('schema' in found) return found;
  throw new ProblemsError([found]);
}

/** Why a sound experiment cannot be run all the same; null if it can. */
export function misfitOf(experiment: Experiment): Problem<ExperimentKey> | null {
  const found = planned(experiment);
  return 'schema' in found ? null : found;
}

function planned(experiment: Experiment): Named | Problem<ExperimentKey> {
  const [layered, sparse] = [find<Model>(models, experiment.model), find<SparseModel>(sparseModels, experiment.model)];
  if (!layered && !sparse) return unknown('model', experiment.model);
  const images = find<DataSpec>(dataSpecs, experiment.data);
  const logs = find<SparseDataSpec>(sparseDataSpecs, experiment.data);
  if (!images && !logs) return unknown('data', experiment.data);
  if (layered && images) return layersPlan(layered, images, experiment);
  if (sparse && logs) {
    const wrong = sparseMisfit(sparse, logs, experiment);
    if (wrong !== null) return wrong;
    const entriesPerExample = logs.entriesPerExample ?? experiment.entries;
    const schema = sparseSchema(sparse, entriesPerExample, experiment.features);
    return { kind: 'sparse', model: sparse, data: logs, entriesPerExample, schema, trainCount: experiment.examples };
  }
  const needed = Object.keys(sparse ? sparseDataSpecs : dataSpecs);
  return { key: 'data', text: `the model ${experiment.model} takes other data: use ${needed.join(', ')}` };
}

function layersPlan(model: Model, data: DataSpec, experiment: Experiment): Named | Problem<ExperimentKey> {
  const wrong = conflict(experiment) ?? misfit(model, data) ?? wholeMisfit(experiment);
  if (wrong !== null) return wrong;
  if (experiment.batch > data.trainCount) {
    return { key: 'batch', text: `is more than the ${data.trainCount.toLocaleString('en')} examples there are` };
  }
  const schema = modelSchema(model, data.input, data.classes);
  return { kind: 'layers', model, data, schema, trainCount: data.trainCount };
}
