import { __ } from '@wordpress/i18n'
import { call, type ListedSite } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import type { Action } from '../../components/actions.tsx'

type Change = 'pauseSite' | 'resumeSite' | 'checkSite'

type Acted = Pick<ListedSite, 'id' | 'url' | 'state'>

/** Whether nothing is delivered until somebody acts. */
export const needsSomebody = ({ state }: Pick<ListedSite, 'state'>): boolean =>
  state === 'needs_you' || state === 'needs_owner'

/** @returns a function that lists what makes sense for a site as it stands, the most helpful first */
export function useSiteActions(): (site: Acted) => Action[] {
  const mayChange = useMay('sites.change')
  const mayRead = useMay('deliveries.read')
  const notice = useNotice()
  const act = useChange({
    changes: ['sites'],
    mutationFn: async ({ change, id }: { change: Change; id: string }) => {
      const at = { path: { uuid: id } }
      if (change === 'pauseSite') await call('pauseSite', { ...at, body: {} })
      else await call(change, at)
    },
    onSuccess: (_, { change, id }) => {
      if (change === 'pauseSite')
        notice({
          text: __('Nothing is sent to the site any more. Documents that arrive wait.', 'galley'),
          action: { label: __('Undo', 'galley'), run: () => act.mutate({ change: 'resumeSite', id }) },
        })
      if (change === 'checkSite') notice({ text: __('The site has been checked.', 'galley') })
    },
  })
  return ({ id, url, state }) => {
    const pending = act.isPending && act.variables.id === id ? act.variables.change : undefined
    const runs = (change: Change, label: string) => ({
      ...{ label, disabled: pending !== undefined },
      run: () => act.mutate({ change, id }),
    })
    const connect = { label: __('Connect again', 'galley'), to: `/sites/${id}`, search: { connect: 'again' } }
    const isBroken = needsSomebody({ state })
    return [
      ...(mayChange && isBroken ? [connect] : []),
      ...(mayChange && state === 'paused' ? [runs('resumeSite', __('Resume', 'galley'))] : []),
      ...(mayChange
        ? [runs('checkSite', pending === 'checkSite' ? __('Checking…', 'galley') : __('Check', 'galley'))]
        : []),
      { label: __('Open the site', 'galley'), href: url },
      ...(mayRead
        ? [{ label: __('Show deliveries', 'galley'), to: '/deliveries', search: { site_id: id } }]
        : []),
      ...(mayChange && state !== 'paused' ? [runs('pauseSite', __('Pause', 'galley'))] : []),
      ...(mayChange && !isBroken ? [connect] : []),
    ]
  }
}
