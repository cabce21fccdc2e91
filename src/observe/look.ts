/** How a thing is drawn, the same wherever it appears: a colour by its name in CSS, and dashes where colours come again. */
export interface Look {
  readonly colour: string;
  readonly isDashed: boolean;
}

/** The look of the n-th of a kind that has so many colours, by name `kind-0` and on. */
export const lookOf = (kind: string, at: number, colours: number): Look => ({
  colour: `${kind}-${at % colours}`,
  isDashed: Math.floor(at / colours) % 2 === 1,
});

const WORKER_COLOURS = 10;
/** A worker's look in every chart, table and timeline. */
export const workerLook = (worker: number): Look => lookOf('worker', worker, WORKER_COLOURS);
