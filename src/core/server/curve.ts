/** Points of a curve in bounded memory: when full, every second point is dropped and half as many are kept from then on. */
export class Curve<Point> {
  #points: Point[];
  #stride: number;
  #seen: number;
  readonly #capacity: number;

  constructor(capacity: number, restored?: { points: readonly Point[]; stride: number; seen: number }) {
    this.#capacity = capacity;
    this.#points = [...(restored?.points ?? [])];
    this.#stride = restored?.stride ?? 1;
    this.#seen = restored?.seen ?? 0;
  }

  get points(): readonly Point[] {
    return this.#points;
  }

  /** Rises whenever points that were there before have been dropped. */
  get stride(): number {
    return this.#stride;
  }

  add(point: Point): void {
    if (this.#seen % this.#stride === 0) this.#points.push(point);
    this.#seen += 1;
    if (this.#points.length <= this.#capacity) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  snapshot() {
    return { points: this.#points, stride: this.#stride, seen: this.#seen };
  }
}
