use super::*;

#[test]
fn cancellation_is_reported_before_the_deadline() {
    let cancel = CancelHandle::new();
    let context = CallContext::new(Duration::ZERO, cancel.clone(), None);
    assert_eq!(context.ended(), Some(Ended::Deadline));
    cancel.cancel();
    assert_eq!(context.ended(), Some(Ended::Cancelled));
}

#[test]
fn an_interrupt_is_remembered() {
    let asked = Arc::new(AtomicBool::new(false));
    let hook: InterruptHook = {
        let asked = Arc::clone(&asked);
        Arc::new(move || !asked.swap(true, Ordering::SeqCst))
    };
    let context = CallContext::new(Duration::from_secs(60), CancelHandle::new(), Some(hook));
    assert_eq!(context.ended(), Some(Ended::Cancelled));
    assert_eq!(context.clone().ended(), Some(Ended::Cancelled));
}

#[test]
fn no_duration_is_too_long() {
    let context = CallContext::with_timeout(Duration::MAX);
    assert!(context.limited_to(Duration::MAX).ended().is_none());
    let context = CallContext::with_timeout(Duration::from_millis(1));
    assert!(context.sleep(Duration::MAX).is_err());
}

#[test]
fn the_end_of_a_call_has_the_byte_record() {
    let context = CallContext::with_timeout(Duration::ZERO);
    let of = |context: &CallContext| context.check().map_err(|stopped| stopped.may_have_sent);
    assert_eq!(of(&context), Err(false));
    context.limited_to(Duration::ZERO).set_may_have_sent();
    assert_eq!(of(&context), Err(true));
}

#[test]
fn a_wait_is_cut_into_slices_that_end_with_the_deadline() {
    let (hour, none) = (Duration::from_secs(3600), Duration::ZERO);
    let context = CallContext::with_timeout(hour);
    assert_eq!(context.wait_slice(), WAIT_SLICE);
    assert_eq!(CallContext::with_timeout(none).wait_slice(), Duration::from_millis(1));
    assert_eq!(context.limited_to(none).wait_slice(), Duration::from_millis(1));
    assert_eq!(context.limited_to(2 * hour).deadline(), context.deadline());
    // Nothing but the deadline, or a waker, ends the wait.
    assert!(context.wake_slice() > WAIT_SLICE);
    let cancel = CancelHandle::new();
    assert!(CallContext::new(hour, cancel.clone(), None).wake_slice() > WAIT_SLICE);
    // A hook is asked at each slice.
    let hooked = CallContext::new(hour, cancel, Some(Arc::new(|| false)));
    assert_eq!(hooked.wake_slice(), WAIT_SLICE);
}

#[test]
fn a_hook_ends_a_sleep_at_its_next_slice() {
    let asked = AtomicBool::new(false);
    let hook: InterruptHook = Arc::new(move || asked.swap(true, Ordering::SeqCst));
    let hour = Duration::from_secs(3600);
    let context = CallContext::new(hour, CancelHandle::new(), Some(hook));
    assert_eq!(context.sleep(hour).map_err(|stopped| stopped.ended), Err(Ended::Cancelled));
}

#[test]
fn the_first_byte_leaves_within_the_deadline_or_never() {
    let of = |timeout| CallContext::with_timeout(timeout).with_first_byte_deadline();
    assert!(of(Duration::ZERO).is_first_byte_overdue());
    assert!(!of(Duration::from_secs(3600)).is_first_byte_overdue());
    assert!(!CallContext::with_timeout(Duration::ZERO).is_first_byte_overdue());
}

#[test]
fn a_wait_that_a_signal_may_have_ended_is_noted() {
    let flag = Arc::new(AtomicBool::new(false));
    let context = CallContext::with_timeout(Duration::from_secs(60));
    let context = context.noting_signals(Arc::clone(&flag));
    let waker = Waker::new().unwrap();
    waker.wake();
    context.wait_for_waker(Some(&waker), Duration::from_secs(60));
    assert!(!flag.load(Ordering::SeqCst), "the waker ended it");
    context.wait_for_waker(None, Duration::from_millis(1));
    assert!(flag.load(Ordering::SeqCst));
}

#[test]
fn a_cancellation_ends_a_wait_at_once() {
    let day = Duration::from_secs(86_400);
    let waker = Waker::new().unwrap();
    let guard = Duration::from_secs(30);
    for waker in [Some(&waker), None] {
        let cancel = CancelHandle::new();
        let context = CallContext::new(day, cancel.clone(), None);
        let started = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while context.ended().is_none() {
                    context.wait_for_waker(waker, Duration::from_secs(3600));
                }
            });
            std::thread::sleep(Duration::from_millis(20));
            cancel.cancel();
        });
        assert!(started.elapsed() < guard);
    }
}

#[test]
fn a_wake_before_the_wait_ends_it() {
    let waker = Waker::new().unwrap();
    let context = CallContext::with_timeout(Duration::from_secs(86_400));
    (0..1000).for_each(|_| waker.wake());
    let started = Instant::now();
    context.wait_for_waker(Some(&waker), Duration::from_secs(3600));
    assert!(started.elapsed() < Duration::from_secs(30));
}
