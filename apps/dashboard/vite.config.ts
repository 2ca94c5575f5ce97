import { defineConfig } from 'vite';

/** Nothing is inlined and no code is made from text: the page runs under a policy that forbids both. */
export default defineConfig({
  root: import.meta.dirname,
  // JSX is compiled as the tsconfig says it.
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
