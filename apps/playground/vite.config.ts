import { defaultClientConditions, defineConfig } from 'vite';

/** Addresses are relative: the site serves the page in a folder. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // Packages of the workspace are read as sources: they need not be built first.
  resolve: { conditions: ['@holdfast/source', ...defaultClientConditions] },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
});
