import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./base.css";
import { Language } from "./lib/i18n";
import { queryClient, router } from "./router";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Language>
          <RouterProvider router={router} />
        </Language>
      </QueryClientProvider>
    </StrictMode>,
  );
}
