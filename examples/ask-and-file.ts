// Asks the person for a note, and files what they wrote. A refusal is an answer too.
import { createTool, message, returns, toolCall, ToolsmithError } from 'toolsmith'

export const askAndFile = createTool({
  name: 'ask-and-file',
  title: 'Ask, and file a note',
  description: 'Asks the person for a few lines about something, and files them as a note. Files nothing where they do not want to.',
  parameters: {
    type: 'object',
    properties: { about: { type: 'string', minLength: 1, maxLength: 100, description: 'What the note is to be about.' } },
    required: ['about'],
    additionalProperties: false,
  } as const,
  calls: ['notes.create'],
  async function({ about }, context) {
    let answer: { title: string; content: string; mood?: string }
    try {
      answer = (await context.interaction({
        title: `A note about ${about}`,
        text: 'It is kept among your notes, as you write it.',
        schema: {
          type: 'object',
          properties: {
            title: { type: 'string', title: 'Title', minLength: 1, maxLength: 100, default: about },
            content: { type: 'string', title: 'What is to be kept', minLength: 1, maxLength: 5000 },
            mood: { type: 'string', title: 'How it went', enum: ['well', 'so-so', 'badly'] },
          },
          required: ['title', 'content'],
          additionalProperties: false,
        },
      })) as typeof answer
    } catch (error) {
      if (!(error instanceof ToolsmithError) || !['INTERACTION_REFUSED', 'INTERACTION_TIMEOUT'].includes(error.code)) throw error
      const why = error.code === 'INTERACTION_REFUSED' ? 'You did not want to write one.' : 'Nobody answered in time.'
      return context.createSubtasksResult([message(`No note about ${about} was filed. ${why}`), returns('refused')])
    }
    const content = answer.mood === undefined ? answer.content : `${answer.content}\n\nIt went ${answer.mood}.`
    return context.createSubtasksResult([toolCall('notes.create', { title: answer.title, content })])
  },
})
