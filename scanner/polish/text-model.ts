/** What a text model is asked. It gets no tools, and it remembers nothing of other requests. */
export type TextModelRequest = {
  /** What to do. Only our own words. */
  system: string
  /** What to do it with. It may quote strangers. */
  text: string
  /** The answer is cut after so many tokens. */
  maxTokens: number
}

export type TextModelAnswer = { text: string; inputTokens: number; outputTokens: number }

/**
 * A text model of another service. `ask` rejects when the model cannot be reached, refuses, is too slow for
 * the signal, or answers with anything but one whole text.
 */
export type TextModel = {
  ask(request: TextModelRequest, signal: AbortSignal): Promise<TextModelAnswer>
}
