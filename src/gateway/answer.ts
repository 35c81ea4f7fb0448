/** What goes back to the client: an HTTP status and a JSON body; an empty body means nothing is to be said. */
export type Answer = { readonly status: number; readonly body: string };
