import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Site } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Checkbox } from '../../components/form.tsx'
import { wordsFor } from '../../components/states/failure.tsx'

/** Ends what is between Galley and a site. Its posts stay. */
export function Remove({ site: { id, name } }: { site: Site }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const [revoke, setRevoke] = useState(true)
  const remove = useMutation({
    mutationFn: () =>
      call('removeSite', { path: { uuid: id }, query: { revoke: revoke ? 'true' : 'false' } }),
    onSuccess: async () => {
      // translators: %s: the name of a site
      notice({ text: sprintf(__('%s is removed. Its posts stay.', 'galley'), name) })
      await navigate({ to: '/sites' })
      queryClient.removeQueries({ queryKey: ['sites', 'one', id] })
      await queryClient.invalidateQueries({ queryKey: ['sites', 'list'] })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
  })
  if (!useMay('sites.change')) return null
  return (
    <section className="g-card g-section g-told">
      <h2>{__('Remove the site', 'galley')}</h2>
      <p className="g-weak">{__('Nothing is sent to it any more. Its posts stay as they are.', 'galley')}</p>
      <p className="g-weak">
        {sprintf(
          // translators: %s: the id of a site
          __(
            'To connect it again later, give it the same ID, in a file of sites or over the API: %s. Under another one not all of its posts are known again, and a document that is sent again may become a second post.',
            'galley',
          ),
          id,
        )}
      </p>
      <Checkbox
        label={__('Also end the application password in WordPress', 'galley')}
        help={__('It was created for Galley, or given to it. Nobody can use it afterwards.', 'galley')}
        checked={revoke}
        onChange={setRevoke}
      />
      <div className="g-actions">
        <ConfirmButton
          label={__('Remove', 'galley')}
          of={name}
          question={__('What waits for it is held.', 'galley')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
    </section>
  )
}
