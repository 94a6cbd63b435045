/* The declarations of payments.h for FFI::cdef. Generated. Reason for length: it is. */

enum payments_status {
  PAYMENTS_STATUS_OK = 0,
  PAYMENTS_STATUS_CONFIG = 1,
  PAYMENTS_STATUS_VALIDATION = 2,
  PAYMENTS_STATUS_SIGNING = 3,
  PAYMENTS_STATUS_TOKEN = 4,
  PAYMENTS_STATUS_CONNECT = 5,
  PAYMENTS_STATUS_TLS = 6,
  PAYMENTS_STATUS_TRANSPORT = 7,
  PAYMENTS_STATUS_TIMEOUT = 8,
  PAYMENTS_STATUS_PROTOCOL = 9,
  PAYMENTS_STATUS_TOO_LARGE = 10,
  PAYMENTS_STATUS_DECODE = 11,
  PAYMENTS_STATUS_UNAUTHORIZED = 12,
  PAYMENTS_STATUS_RATE_LIMITED = 13,
  PAYMENTS_STATUS_STATUS = 14,
  PAYMENTS_STATUS_REJECTED = 15,
  PAYMENTS_STATUS_CANCELLED = 16,
  PAYMENTS_STATUS_INTERNAL = 17,
  PAYMENTS_STATUS_JOURNAL = 18,
  PAYMENTS_STATUS_INVALID_ARGUMENT = 100,
};
typedef int32_t payments_status;

enum payments_outcome {
  PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
  PAYMENTS_OUTCOME_UNKNOWN = 1,
  PAYMENTS_OUTCOME_EXECUTED = 2,
};
typedef int32_t payments_outcome;

typedef struct payments_call payments_call;

typedef struct payments_client payments_client;

typedef struct payments_context payments_context;

typedef struct payments_error payments_error;

typedef struct payments_options payments_options;

typedef struct payments_prepared payments_prepared;

typedef struct payments_request payments_request;

typedef struct payments_response payments_response;

typedef struct payments_sink payments_sink;

typedef struct payments_text payments_text;

typedef struct payments_transport_response payments_transport_response;

typedef int32_t (*payments_interrupt_fn)(void *user_data);

typedef void (*payments_destroy_fn)(void *user_data);

typedef int32_t (*payments_end_fn)(void *user_data, const char *end, size_t length);

typedef int32_t (*payments_journal_fn)(void *user_data,
                                       const struct payments_context *context,
                                       const char *action,
                                       const char *input,
                                       size_t input_length,
                                       struct payments_sink *result_out,
                                       struct payments_sink *message_out);

typedef void (*payments_event_fn)(void *user_data, const char *event, size_t length);

typedef int32_t (*payments_sign_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const uint8_t *input,
                                    size_t input_length,
                                    const uint8_t *sha256,
                                    struct payments_sink *signature_out,
                                    struct payments_sink *message_out);

typedef struct payments_token_store_callbacks {
  size_t size;
  int32_t (*load)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  struct payments_sink *entry_out);
  int32_t (*save)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  const char *entry,
                  size_t entry_length,
                  uint64_t fence);
  int32_t (*delete_if)(void *user_data,
                       const struct payments_context *context,
                       const char *key,
                       const char *value,
                       size_t value_length);
  int32_t (*try_lock)(void *user_data,
                      const struct payments_context *context,
                      const char *key,
                      uint64_t *fence_out);
  void (*unlock)(void *user_data, const char *key, uint64_t fence);
} payments_token_store_callbacks;

typedef int32_t (*payments_send_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const struct payments_prepared *request,
                                    struct payments_transport_response *response_out);

payments_status payments_call_new(struct payments_call **call_out);

payments_status payments_call_set_timeout_ms(struct payments_call *call,
                                             uint64_t timeout_ms,
                                             struct payments_error **error_out);

payments_status payments_call_set_ensure_wait_ms(struct payments_call *call,
                                                 uint64_t ensure_wait_ms,
                                                 struct payments_error **error_out);

payments_status payments_call_set_traceparent(struct payments_call *call,
                                              const char *traceparent,
                                              size_t traceparent_length,
                                              struct payments_error **error_out);

payments_status payments_call_set_interrupt(struct payments_call *call,
                                            void *user_data,
                                            payments_interrupt_fn interrupt,
                                            payments_destroy_fn destroy,
                                            struct payments_error **error_out);

void payments_call_cancel(const struct payments_call *call);

void payments_call_free(struct payments_call *call);

uint64_t payments_context_remaining_ms(const struct payments_context *context);

int32_t payments_context_has_ended(const struct payments_context *context);

payments_status payments_client_new(const char *config,
                                    size_t config_length,
                                    const struct payments_options *options,
                                    struct payments_client **client_out,
                                    struct payments_error **error_out);

payments_status payments_client_shared(const char *config,
                                       size_t config_length,
                                       const struct payments_options *options,
                                       struct payments_client **client_out,
                                       struct payments_error **error_out);

payments_status payments_client_from_file(const char *path,
                                          size_t path_length,
                                          int32_t shared,
                                          const struct payments_options *options,
                                          struct payments_client **client_out,
                                          struct payments_error **error_out);

payments_status payments_client_from_file_with_env(const char *path,
                                                   size_t path_length,
                                                   int32_t shared,
                                                   const struct payments_options *options,
                                                   struct payments_client **client_out,
                                                   struct payments_error **error_out);

payments_status payments_client_from_env(int32_t shared,
                                         const struct payments_options *options,
                                         struct payments_client **client_out,
                                         struct payments_error **error_out);

void payments_client_free(struct payments_client *client);

void payments_client_track(struct payments_client *client, const char *owner, size_t owner_length);

void payments_client_free_tracked(const char *owner, size_t owner_length);

int32_t payments_spare_descriptor(int32_t keep);

payments_status payments_error_status(const struct payments_error *error);

payments_outcome payments_error_outcome(const struct payments_error *error);

const char *payments_error_text(const struct payments_error *error);

const char *payments_error_diagnosis_cause(const struct payments_error *error);

const char *payments_error_diagnosis_finding(const struct payments_error *error);

const char *payments_error_diagnosis_message(const struct payments_error *error);

const uint8_t *payments_error_request_body(const struct payments_error *error, size_t *length_out);

const uint8_t *payments_error_response_body(const struct payments_error *error, size_t *length_out);

payments_status payments_error_response(const struct payments_error *error,
                                        struct payments_response **response_out);

const char *payments_error_json(const struct payments_error *error);

void payments_error_free(struct payments_error *error);

const char *payments_error_code(const struct payments_error *error);

const char *payments_error_message(const struct payments_error *error);

const char *payments_error_advice(const struct payments_error *error);

const char *payments_error_path(const struct payments_error *error);

const char *payments_error_operation(const struct payments_error *error);

const char *payments_error_reference(const struct payments_error *error);

int32_t payments_error_http_status(const struct payments_error *error);

const char *payments_error_service_code(const struct payments_error *error);

const char *payments_error_service_message(const struct payments_error *error);

const char *payments_error_payment_hash(const struct payments_error *error);

int64_t payments_error_retry_after_ms(const struct payments_error *error);

const char *payments_error_journal_entry(const struct payments_error *error);

uint32_t payments_error_attempts(const struct payments_error *error);

const char *payments_error_help(const struct payments_error *error);

payments_status payments_client_follow(const struct payments_client *client,
                                       const char *options,
                                       size_t options_length,
                                       void *user_data,
                                       payments_end_fn on_end,
                                       const struct payments_call *call,
                                       struct payments_error **error_out);

payments_status payments_options_set_journal(struct payments_options *options,
                                             void *user_data,
                                             payments_journal_fn run,
                                             payments_destroy_fn destroy,
                                             struct payments_error **error_out);

payments_status payments_options_set_observer(struct payments_options *options,
                                              void *user_data,
                                              payments_event_fn on_event,
                                              payments_destroy_fn destroy,
                                              struct payments_error **error_out);

payments_status payments_client_create_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

payments_status payments_client_query_payment(const struct payments_client *client,
                                              const char *body,
                                              size_t body_length,
                                              const struct payments_call *call,
                                              struct payments_response **response_out,
                                              struct payments_error **error_out);

payments_status payments_client_refund_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

payments_status payments_client_create_payout(const struct payments_client *client,
                                              const char *body,
                                              size_t body_length,
                                              const struct payments_call *call,
                                              struct payments_response **response_out,
                                              struct payments_error **error_out);

payments_status payments_client_query_payout(const struct payments_client *client,
                                             const char *body,
                                             size_t body_length,
                                             const struct payments_call *call,
                                             struct payments_response **response_out,
                                             struct payments_error **error_out);

payments_status payments_client_register_tracking(const struct payments_client *client,
                                                  const char *body,
                                                  size_t body_length,
                                                  const struct payments_call *call,
                                                  struct payments_response **response_out,
                                                  struct payments_error **error_out);

payments_status payments_client_ensure_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

payments_status payments_client_wait_for_payment(const struct payments_client *client,
                                                 const char *body,
                                                 size_t body_length,
                                                 const struct payments_call *call,
                                                 struct payments_response **response_out,
                                                 struct payments_error **error_out);

payments_status payments_client_journal_list(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

payments_status payments_client_journal_show(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

payments_status payments_client_journal_recover(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

payments_status payments_client_journal_resolve(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

payments_status payments_client_journal_prune(const struct payments_client *client,
                                              const char *input,
                                              size_t input_length,
                                              const struct payments_call *call,
                                              struct payments_text **text_out,
                                              struct payments_error **error_out);

payments_status payments_client_journal_compare(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

payments_status payments_client_journal_adopt(const struct payments_client *client,
                                              const char *input,
                                              size_t input_length,
                                              const struct payments_call *call,
                                              struct payments_text **text_out,
                                              struct payments_error **error_out);

payments_status payments_client_journal_command(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

payments_status payments_client_follow_begin(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

payments_status payments_client_follow_next(const struct payments_client *client,
                                            const char *input,
                                            size_t input_length,
                                            const struct payments_call *call,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

payments_status payments_client_follow_end(const struct payments_client *client,
                                           const char *input,
                                           size_t input_length,
                                           const struct payments_call *call,
                                           struct payments_text **text_out,
                                           struct payments_error **error_out);

payments_status payments_client_follow_command(const struct payments_client *client,
                                               const char *input,
                                               size_t input_length,
                                               const struct payments_call *call,
                                               struct payments_text **text_out,
                                               struct payments_error **error_out);

payments_status payments_client_access_token(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_response **response_out,
                                             struct payments_error **error_out);

payments_status payments_client_token_status(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

payments_status payments_client_forget_token(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_error **error_out);

payments_status payments_client_warm_up(const struct payments_client *client,
                                        const struct payments_call *call,
                                        struct payments_error **error_out);

payments_status payments_journal_create(const char *path,
                                        size_t path_length,
                                        struct payments_error **error_out);

payments_status payments_client_call(const struct payments_client *client,
                                     const char *operation,
                                     size_t operation_length,
                                     const char *body,
                                     size_t body_length,
                                     const struct payments_call *call,
                                     struct payments_response **response_out,
                                     struct payments_error **error_out);

payments_status payments_client_send(const struct payments_client *client,
                                     const char *head,
                                     size_t head_length,
                                     const uint8_t *body,
                                     size_t body_length,
                                     const struct payments_call *call,
                                     struct payments_response **response_out,
                                     struct payments_error **error_out);

payments_status payments_client_prepare(const struct payments_client *client,
                                        const char *operation,
                                        size_t operation_length,
                                        const char *input,
                                        size_t input_length,
                                        const uint8_t *body,
                                        size_t body_length,
                                        const struct payments_call *call,
                                        struct payments_prepared **prepared_out,
                                        struct payments_error **error_out);

payments_status payments_client_interrupted_after_response(const struct payments_client *client,
                                                           const char *operation,
                                                           size_t operation_length,
                                                           const char *input,
                                                           size_t input_length,
                                                           const uint8_t *body,
                                                           size_t body_length,
                                                           const struct payments_response *response,
                                                           struct payments_error **error_out);

payments_status payments_options_new(struct payments_options **options_out);

void payments_options_free(struct payments_options *options);

const char *payments_prepared_method(const struct payments_prepared *prepared);

const char *payments_prepared_url(const struct payments_prepared *prepared);

size_t payments_prepared_header_count(const struct payments_prepared *prepared);

const char *payments_prepared_header_name(const struct payments_prepared *prepared, size_t index);

const char *payments_prepared_header_value(const struct payments_prepared *prepared, size_t index);

const uint8_t *payments_prepared_body(const struct payments_prepared *prepared, size_t *length_out);

void payments_prepared_free(struct payments_prepared *prepared);

payments_status payments_request_new(struct payments_request **request_out);

payments_status payments_request_set_text(struct payments_request *request,
                                          const char *pointer,
                                          size_t pointer_length,
                                          const char *value,
                                          size_t value_length,
                                          struct payments_error **error_out);

payments_status payments_request_set_amount(struct payments_request *request,
                                            const char *pointer,
                                            size_t pointer_length,
                                            const char *amount,
                                            size_t amount_length,
                                            struct payments_error **error_out);

payments_status payments_request_set_integer(struct payments_request *request,
                                             const char *pointer,
                                             size_t pointer_length,
                                             int64_t value,
                                             struct payments_error **error_out);

payments_status payments_request_set_boolean(struct payments_request *request,
                                             const char *pointer,
                                             size_t pointer_length,
                                             int32_t value,
                                             struct payments_error **error_out);

payments_status payments_request_set_json(struct payments_request *request,
                                          const char *pointer,
                                          size_t pointer_length,
                                          const char *json,
                                          size_t json_length,
                                          struct payments_error **error_out);

const char *payments_request_text(struct payments_request *request, size_t *length_out);

void payments_request_free(struct payments_request *request);

int32_t payments_response_http_status(const struct payments_response *response);

const uint8_t *payments_response_body(const struct payments_response *response, size_t *length_out);

const char *payments_response_view(const struct payments_response *response, size_t *length_out);

size_t payments_response_header_count(const struct payments_response *response);

const char *payments_response_header_name(const struct payments_response *response, size_t index);

const char *payments_response_header_value(const struct payments_response *response, size_t index);

void payments_response_free(struct payments_response *response);

int32_t payments_response_has(const struct payments_response *response,
                              const char *pointer,
                              size_t pointer_length);

payments_status payments_response_text(const struct payments_response *response,
                                       const char *pointer,
                                       size_t pointer_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

payments_status payments_response_view_text(const struct payments_response *response,
                                            const char *pointer,
                                            size_t pointer_length,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

payments_status payments_response_integer(const struct payments_response *response,
                                          const char *pointer,
                                          size_t pointer_length,
                                          int64_t *integer_out,
                                          struct payments_error **error_out);

payments_status payments_response_boolean(const struct payments_response *response,
                                          const char *pointer,
                                          size_t pointer_length,
                                          int32_t *boolean_out,
                                          struct payments_error **error_out);

payments_status payments_response_count(const struct payments_response *response,
                                        const char *pointer,
                                        size_t pointer_length,
                                        size_t *count_out,
                                        struct payments_error **error_out);

payments_status payments_response_json(const struct payments_response *response,
                                       const char *pointer,
                                       size_t pointer_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

const char *payments_response_status(const struct payments_response *response);

const char *payments_response_hash(const struct payments_response *response);

const char *payments_response_merchant_payment_code(const struct payments_response *response);

const char *payments_response_qr_code_value(const struct payments_response *response);

const char *payments_response_redirect_url(const struct payments_response *response);

const char *payments_response_oxxo_url(const struct payments_response *response);

const char *payments_response_oxxo_barcode(const struct payments_response *response);

const char *payments_response_clabe_account(const struct payments_response *response);

const char *payments_response_due_date(const struct payments_response *response);

const char *payments_response_decline_code(const struct payments_response *response);

const char *payments_response_decline_reason(const struct payments_response *response);

const char *payments_response_refund_id(const struct payments_response *response);

const char *payments_response_refund_status(const struct payments_response *response);

const char *payments_response_payment_status(const struct payments_response *response);

const char *payments_response_uid(const struct payments_response *response);

const char *payments_response_external_reference(const struct payments_response *response);

const char *payments_response_code(const struct payments_response *response);

const char *payments_response_amount(const struct payments_response *response);

const char *payments_response_currency(const struct payments_response *response);

const char *payments_response_request_date(const struct payments_response *response);

const char *payments_response_status_date(const struct payments_response *response);

const char *payments_response_paid_date(const struct payments_response *response);

const char *payments_response_cancel_date(const struct payments_response *response);

int32_t payments_response_is_paid(const struct payments_response *response);

int32_t payments_response_capture_available(const struct payments_response *response);

int32_t payments_response_all_created(const struct payments_response *response);

payments_status payments_options_set_signer(struct payments_options *options,
                                            void *user_data,
                                            const char *kid,
                                            size_t kid_length,
                                            payments_sign_fn sign,
                                            payments_destroy_fn destroy,
                                            struct payments_error **error_out);

int32_t payments_sink_write(struct payments_sink *sink, const uint8_t *data, size_t length);

const char *payments_status_name(int32_t status);

payments_status payments_options_set_token_store(struct payments_options *options,
                                                 void *user_data,
                                                 const struct payments_token_store_callbacks *callbacks,
                                                 payments_destroy_fn destroy,
                                                 struct payments_error **error_out);

payments_status payments_entry_without_token(const char *entry,
                                             size_t entry_length,
                                             const char *value,
                                             size_t value_length,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

const char *payments_text_data(const struct payments_text *text);

const uint8_t *payments_text_bytes(const struct payments_text *text);

size_t payments_text_length(const struct payments_text *text);

void payments_text_free(struct payments_text *text);

payments_status payments_generate_key(struct payments_text **private_key_out,
                                      struct payments_text **public_key_out,
                                      struct payments_error **error_out);

payments_status payments_verify(const char *public_key,
                                size_t public_key_length,
                                const char *token,
                                size_t token_length,
                                const uint8_t *body,
                                size_t body_length,
                                struct payments_text **report_out,
                                struct payments_error **error_out);

payments_status payments_lint(const char *request,
                              size_t request_length,
                              struct payments_text **warnings_out,
                              struct payments_error **error_out);

payments_status payments_explain(const char *name,
                                 size_t name_length,
                                 struct payments_text **text_out,
                                 struct payments_error **error_out);

payments_status payments_in_camel_case(const char *text,
                                       size_t text_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

payments_status payments_qr_svg(const char *text,
                                size_t text_length,
                                struct payments_text **svg_out,
                                struct payments_error **error_out);

payments_status payments_qr_png(const char *text,
                                size_t text_length,
                                uint32_t module_size,
                                struct payments_text **png_out,
                                struct payments_error **error_out);

payments_status payments_journal_plan(const char *input,
                                      size_t input_length,
                                      struct payments_text **plan_out,
                                      struct payments_error **error_out);

payments_status payments_journal_failure(const char *input,
                                         size_t input_length,
                                         struct payments_text **text_out,
                                         struct payments_error **error_out);

payments_status payments_next_step(const char *input,
                                   size_t input_length,
                                   struct payments_text **step_out,
                                   struct payments_error **error_out);

payments_status payments_options_set_transport(struct payments_options *options,
                                               void *user_data,
                                               payments_send_fn send,
                                               payments_destroy_fn destroy,
                                               struct payments_error **error_out);

payments_status payments_transport_response_set_status(struct payments_transport_response *response,
                                                       int32_t http_status);

payments_status payments_transport_response_add_header(struct payments_transport_response *response,
                                                       const char *name,
                                                       size_t name_length,
                                                       const char *value,
                                                       size_t value_length);

payments_status payments_transport_response_write_body(struct payments_transport_response *response,
                                                       const uint8_t *data,
                                                       size_t length);

payments_status payments_transport_response_fail(struct payments_transport_response *response,
                                                 int32_t kind,
                                                 int32_t nothing_sent,
                                                 const char *message,
                                                 size_t message_length);

payments_status payments_take_journal_failed(struct payments_text **text_out,
                                             struct payments_error **error_out);

uint32_t payments_abi_version(void);

const char *payments_version(void);
