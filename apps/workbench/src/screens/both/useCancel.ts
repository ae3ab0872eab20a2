import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { Problem } from "../../api/client";

/** Stops a read that takes too long; what it would have shown says so and offers to try again. */
export function useCancel(queryKey: QueryKey): () => void {
  const client = useQueryClient();
  return useCallback(() => {
    void client.cancelQueries({ queryKey }, { revert: false, silent: true }).then(() => {
      const query = client.getQueryCache().find({ queryKey, exact: true });
      query?.setState({
        status: "error",
        fetchStatus: "idle",
        error: new Problem({ code: "cancelled", message: "" }),
      });
    });
  }, [client, queryKey]);
}
