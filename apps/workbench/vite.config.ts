import optimizeLocales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ["en-US", "es-ES", "ja-JP", "zh-TW"] }), enforce: "pre" },
  ],
  build: {
    outDir: "../../crates/workbench/pages",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    proxy: {
      // The server takes writes from its own pages only, so it has to see the address that the browser sees.
      "/api": { target: process.env.BOTHWAYS_URL ?? "http://127.0.0.1:8000", changeOrigin: false },
    },
  },
  css: { modules: { localsConvention: "camelCaseOnly" } },
});
