// The same behaviour without a browser, where it fails fastest.
import 'fake-indexeddb/auto';
import './labs.browser.ts';
