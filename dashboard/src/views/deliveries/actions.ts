import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type Delivery, type DetailedDelivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import type { Action } from '../../components/actions.tsx'
import { describeError } from '../../components/states.tsx'
import { deliveryQuery } from '../../data/deliveries.ts'

export interface DeliveryAction extends Action {
  /** `solves`: it lets a stopped delivery go on. `helps`: it is what people mostly want next. `undoes`: a choice. Others have none. */
  use?: 'solves' | 'helps' | 'undoes'
  /** In a menu, where there is room for a few buttons only. */
  rare?: boolean
}

type Target = NonNullable<Delivery['withdraw_to']>

interface Change {
  does: 'retry' | 'withdraw' | 'cancel' | 'resume' | 'undo'
  delivery: Delivery
  to?: Target | null
  onLoss?: 'publish' | 'draft'
}

/** Error codes that a setting of the site resolves. */
const OF_SETTINGS = ['setting_refused', 'cannot_publish']

/** Whether it waits because its post was edited, so that there are two texts. */
const isHeldEdit = ({ status, error, withdraw_to }: Delivery): boolean =>
  status === 'held' &&
  withdraw_to === null &&
  (error?.code === 'post_changed' || error?.code === 'post_replaced')

/** Whether its withdrawal waits because its post was edited. */
export const isHeldWithdrawal = ({ status, error, withdraw_to }: Delivery): boolean =>
  status === 'held' && withdraw_to !== null && error?.code === 'post_changed'

/** Whether a person has to look at what was edited, and choose. */
export const waitsForChoice = (delivery: Delivery): boolean =>
  isHeldEdit(delivery) || isHeldWithdrawal(delivery)

/** @returns a function that lists what makes sense for a delivery as it stands, the most helpful first */
export function useDeliveryActions(): (delivery: Delivery | DetailedDelivery) => DeliveryAction[] {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const change = useChange()
  const rights = {
    act: useMay('deliveries.act'),
    site: useMay('sites.change'),
    create: useMay('deliveries.create'),
    preview: useMay('preview'),
  }

  /** At its site, where that keeps it from going on. */
  function atTheSite(delivery: Delivery | DetailedDelivery): DeliveryAction[] {
    const { stands, site, site_id, error } = delivery
    const connects = 'reconnect' in delivery ? delivery.reconnect : stands.waits_for === 'owner'
    const to = `/sites/${site_id}`
    if (stands.waits_for === 'resume')
      return [
        { ...runs({ does: 'resume', delivery }), label: __('Resume the site', 'galley'), use: 'solves' },
      ]
    if (stands.waits_for === 'connection')
      return [
        {
          label: __('Connect the site', 'galley'),
          ...{ to: '/welcome', search: { connect: 'new', id: site_id }, use: 'solves' },
        },
      ]
    if (site === null) return []
    if (OF_SETTINGS.includes(error?.code ?? ''))
      return [
        { label: __('Change the settings', 'galley'), to, search: { change: 'settings' }, use: 'solves' },
      ]
    if (connects)
      return [{ label: __('Connect again', 'galley'), to, search: { connect: 'again' }, use: 'solves' }]
    return []
  }

  /** Sends it once more. */
  function again(delivery: Delivery): DeliveryAction[] {
    const { status, error, stands, withdraw_to, warnings } = delivery
    const retry = (label: string, use?: DeliveryAction['use'], onLoss?: Change['onLoss']) => ({
      ...runs({ does: 'retry', delivery, ...(onLoss && { onLoss }) }),
      ...{ label, ...(use && { use }) },
    })
    if (status === 'waiting' && stands.waits_for === 'site') return [retry(__('Try now', 'galley'))]
    if (status === 'kept') return [retry(__('Compare again', 'galley'), 'helps')]
    if (status === 'cancelled' || status === 'withdrawn') return [retry(sendAgain(), 'helps')]
    if (status === 'delivered') {
      if (warnings.some(({ code }) => code === 'draft_for_loss'))
        return [retry(__('Publish anyway', 'galley'), undefined, 'publish')]
      return isGone(delivery) ? [] : [{ ...retry(sendAgain()), rare: true }]
    }
    if ((status !== 'held' && status !== 'failed') || waitsForChoice(delivery)) return []
    if (withdraw_to) return [retry(sendAgain(), 'solves')]
    if (error?.code !== 'content_lost') return [retry(__('Try again', 'galley'), 'solves')]
    return [
      retry(__('Deliver anyway', 'galley'), 'solves', 'publish'),
      retry(__('Deliver as a draft', 'galley'), 'solves', 'draft'),
    ]
  }

  /** Takes its post off the site. */
  function withdrawals(delivery: Delivery): DeliveryAction[] {
    const { status, post } = delivery
    if (post === null || post.status === 'deleted' || status === 'delivering') return []
    if (isHeldWithdrawal(delivery)) return []
    const at = status === 'withdrawn' ? post.status : null
    const withdraw = (to: Target, label: string) => ({
      ...runs({ does: 'withdraw', delivery, to }),
      ...{ label, rare: true },
    })
    return [
      ...(at === 'draft' ? [] : [withdraw('draft', __('Withdraw to draft', 'galley'))]),
      ...(at === 'trash' ? [] : [withdraw('trash', __('Withdraw to trash', 'galley'))]),
    ]
  }

  /** The document in the form of a new post, for other sites. The event is known to the delivery's own page only. */
  const elsewhere = ({ id }: Delivery): DeliveryAction => ({
    label: __('Send elsewhere', 'galley'),
    rare: true,
    run: () =>
      void queryClient.fetchQuery(deliveryQuery(id)).then(
        ({ event_id }) => navigate({ to: '/preview', search: { event: event_id } as never }),
        (error) => notice({ text: describeError(error).text, tone: 'bad' }),
      ),
  })

  const runs = (changes: Change) => ({
    disabled: change.isPending && change.variables.delivery.id === changes.delivery.id,
    run: () => change.mutate(changes),
  })

  return (delivery) => {
    const { status } = delivery
    const open = opens(delivery)
    const repeats = rights.act ? again(delivery) : []
    const cancels =
      rights.act && ['queued', 'waiting', 'held', 'failed'].includes(status) && !waitsForChoice(delivery)
    return [
      ...(rights.site ? atTheSite(delivery) : []),
      ...(rights.act && 'undo_until' in delivery && delivery.undo_until !== null
        ? [{ ...runs({ does: 'undo', delivery }), label: __('Undo', 'galley'), use: 'undoes' as const }]
        : []),
      ...(status === 'delivered' ? [...open, ...repeats] : [...repeats, ...open]),
      ...(rights.act ? withdrawals(delivery) : []),
      ...(rights.create && rights.preview && status !== 'delivering' ? [elsewhere(delivery)] : []),
      ...(cancels ? [{ ...runs({ does: 'cancel', delivery }), label: __('Cancel', 'galley') }] : []),
    ]
  }
}

/** A retry of what has ended, or in place of a withdrawal. */
const sendAgain = () => __('Send again', 'galley')

const isGone = ({ post }: Delivery): boolean => post?.status === 'deleted' || post?.status === 'trash'

/** The post, for readers and for editors. */
function opens(delivery: Delivery): DeliveryAction[] {
  const { post, status } = delivery
  if (!post || isGone(delivery)) return []
  return [
    ...(post.url
      ? [
          {
            label: __('Open the post', 'galley'),
            href: post.url,
            ...(status === 'delivered' && { use: 'helps' as const }),
          },
        ]
      : []),
    ...(post.edit_url ? [{ label: __('Edit in WordPress', 'galley'), href: post.edit_url }] : []),
  ]
}

/** Changes a delivery at once, and says how to take that back. */
function useChange() {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const change = useMutation({
    mutationFn: async (changes: Change) => {
      const { does, delivery, to = null, onLoss } = changes
      const at = { path: { uuid: delivery.id } }
      if (does === 'resume') await call('resumeSite', { path: { uuid: delivery.site_id } })
      else if (does === 'cancel') await call('cancelDelivery', at)
      else if (does === 'undo') await call('undoDelivery', at)
      else if (does === 'withdraw' && to) await call('withdrawDelivery', { ...at, body: { to } })
      else await call('retryDelivery', { ...at, body: { on_loss: onLoss } })
    },
    onSuccess: (_, { does, delivery }) => {
      const back: Change = delivery.withdraw_to
        ? { does: 'withdraw', delivery, to: delivery.withdraw_to }
        : { does: 'retry', delivery }
      if (does === 'cancel')
        notice({
          text: __('The delivery is cancelled. What is on the site stays as it is.', 'galley'),
          // A past failure is not shown as a new one while it is retried.
          action: {
            label: delivery.status === 'failed' ? __('Try again', 'galley') : __('Undo', 'galley'),
            run: () => change.mutate(back),
          },
        })
      if (does === 'withdraw')
        notice({
          text: __('The post is being withdrawn. Its text and pictures stay in WordPress.', 'galley'),
          action: { label: sendAgain(), run: () => change.mutate({ does: 'retry', delivery }) },
        })
    },
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () =>
      Promise.all(['deliveries', 'sites'].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] }))),
  })
  return change
}
