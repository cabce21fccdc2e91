import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import plainUrl from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url';
import simdUrl from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { env } from '@tensorflow/tfjs-core';

/** Makes tfjs's wasm backend available, single-threaded: its threads do not survive a minifier. */
export function registerWasm(): void {
  env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  const absolute = (url: string) => new URL(url, import.meta.url).href;
  setWasmPaths({
    'tfjs-backend-wasm.wasm': absolute(plainUrl),
    'tfjs-backend-wasm-simd.wasm': absolute(simdUrl),
    // Must be named, is never loaded.
    'tfjs-backend-wasm-threaded-simd.wasm': absolute(simdUrl),
  });
}
