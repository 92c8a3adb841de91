export type Page = { /** Relative to the root of the repository. */ path: string; text: string }
