/** Keeps the last few things that were asked for, by name. */
export class Recent<Thing> {
  readonly #kept = new Map<string | number, Thing>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The thing of this name, made if it is not kept. */
  get(key: string | number, make: () => Thing): Thing {
    const thing = this.#kept.get(key) ?? make();
    this.#kept.delete(key);
    this.#kept.set(key, thing);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#capacity) break;
      this.#kept.delete(oldest);
    }
    return thing;
  }

  forget(key: string | number): void {
    this.#kept.delete(key);
  }
}
