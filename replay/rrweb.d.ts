/**
 * The part of rrweb's recorder that we use. Its own types bring those of the player, and of options that we
 * must not use.
 */
declare module '@rrweb/record' {
  type Sampling = { mousemove: number; scroll: number; media: number }

  export const record: {
    /**
     * Begins to observe the page, without a snapshot. Returns the function that ends that. It is undefined
     * when rrweb could not start.
     */
    (options: {
      emit(event: { type: number; timestamp: number; data: unknown }): void
      blockSelector?: string
      ignoreSelector?: string
      maskAllInputs?: boolean
      maskInputOptions?: { password: boolean }
      inlineStylesheet?: boolean
      inlineImages?: boolean
      recordCanvas?: boolean
      recordCrossOriginIframes?: boolean
      collectFonts?: boolean
      slimDOMOptions?: Record<string, boolean>
      sampling?: Sampling
      errorHandler?(error: unknown): boolean
    }): (() => void) | undefined
    takeFullSnapshot(): void
    mirror: { getNode(id: number): Node | null; getId(node: Node): number; reset(): void }
    /** What rrweb-in-slices.ts adds: whether a node is recorded now, and what collects changes. */
    slices: { take(node: Node): boolean }
    /** Records the lists of adopted style sheets that have changed since the last call. */
    compareAdopted(): void
    buffers: {
      doc: Document
      addedSet: Set<Node>
      movedSet: Set<Node>
      genAdds(node: Node, parent: Node): void
      emit(): void
    }[]
  }
}
