import { type BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime'
import type { TextModel } from '#scanner/polish/text-model'

/**
 * A model of Amazon Bedrock, by its Converse API. `modelId`: of a model, or of an inference profile. It sends
 * no tools, so the model can only answer; an answer that is not one whole text is refused.
 */
export function createBedrockModel(client: BedrockRuntimeClient, modelId: string): TextModel {
  return {
    async ask({ system, text, maxTokens }, signal) {
      const command = new ConverseCommand({
        modelId,
        system: [{ text: system }],
        messages: [{ role: 'user', content: [{ text }] }],
        inferenceConfig: { maxTokens, temperature: 0 },
      })
      const { output, stopReason, usage } = await client.send(command, { abortSignal: signal })
      if (stopReason !== 'end_turn') throw new Error(`the model stopped early: ${stopReason ?? 'no reason'}`)
      const [block, ...more] = output?.message?.content ?? []
      if (block?.text === undefined || more.length > 0) throw new Error('the answer is not one text')
      return {
        text: block.text,
        inputTokens: usage?.inputTokens ?? 0,
        outputTokens: usage?.outputTokens ?? 0,
      }
    },
  }
}
