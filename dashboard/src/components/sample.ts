import { __ } from '@wordpress/i18n'
import { uuid } from '../app/uuid.ts'

/** A finished document as a generator sends it, for a site: a draft, so that nothing of it becomes public. */
export const sampleFor = (siteId: string) => {
  const title = __('A first document from Galley', 'galley')
  return {
    event: 'document.completed',
    id: uuid(),
    status: 'completed',
    data: {
      title,
      description: __('What a finished document becomes on this site.', 'galley'),
      content: {
        type: 'document',
        version: '1.0',
        meta: { title },
        content: [
          {
            type: 'paragraph',
            content: [
              {
                type: 'text',
                text: __('This draft was sent through Galley, as your documents will be.', 'galley'),
              },
            ],
          },
          { type: 'heading', level: 2, text: __('Headings', 'galley') },
          {
            type: 'list',
            ordered: false,
            items: [__('Lists', 'galley'), __('Tables, pictures and quotes', 'galley')],
          },
          { type: 'quote', value: __('Delete it when you have seen it.', 'galley') },
        ],
      },
    },
    delivery: { id: siteId, post_status: 'draft', metadata: { categories: [], tags: [] } },
  }
}
