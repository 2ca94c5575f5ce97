import { defaultClientConditions, defineConfig } from 'vite';

/** Nothing is inlined and no code is made from text: the page runs under a policy that forbids both. */
export default defineConfig({
  root: import.meta.dirname,
  // Packages of the workspace are read as sources: they need not be built first.
  resolve: { conditions: ['@holdfast/source', ...defaultClientConditions] },
  // JSX is compiled with the settings of the tsconfig.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    sourcemap: false,
    reportCompressedSize: false,
  },
});
