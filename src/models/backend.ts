export const backendChoices = ['auto', 'webgpu', 'wasm', 'cpu'] as const;
/** What a person asks for; `auto` is the fastest that works. */
export type BackendChoice = (typeof backendChoices)[number];
export type BackendName = Exclude<BackendChoice, 'auto'>;
