/** Called while a long message comes or goes. */
export type OnProgress = (doneBytes: number, totalBytes: number) => void;

const MILESTONE_BYTES = 1 << 20;

/** Whether the last frame took a message past another whole MiB or to its end; never for messages up to one MiB. */
export const isMilestone = (doneBytes: number, frameBytes: number, totalBytes: number): boolean =>
  totalBytes > MILESTONE_BYTES &&
  (doneBytes === totalBytes ||
    Math.floor(doneBytes / MILESTONE_BYTES) > Math.floor((doneBytes - frameBytes) / MILESTONE_BYTES));
