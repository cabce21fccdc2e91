import { alexNetLayers } from './alexnet.ts';
import type { Model } from './model.ts';

/** AlexNet's shape for small colour images: a third of its width, a window of 5 with stride 2 in place of 11 with 4. */
export const alexnetSmall: Model = {
  name: 'alexnet-small',
  title: 'AlexNet, small',
  input: [32, 32, 3],
  layers: (classes) =>
    alexNetLayers({ first: { size: 5, stride: 2, pad: 'same' }, filters: [32, 64, 96, 96, 64], units: 256 }, classes),
};
