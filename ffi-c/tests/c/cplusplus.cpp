// The header from C++: handles with owners, callbacks that let nothing out.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "payments.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1); \
        } \
    } while (0)

namespace {

template <typename Handle, void (*Free)(Handle *)>
struct Freed {
    void operator()(Handle *handle) const { Free(handle); }
};
template <typename Handle, void (*Free)(Handle *)>
using Owned = std::unique_ptr<Handle, Freed<Handle, Free>>;
using Client = Owned<payments_client, payments_client_free>;
using Options = Owned<payments_options, payments_options_free>;
using Response = Owned<payments_response, payments_response_free>;
using Error = Owned<payments_error, payments_error_free>;

struct Events {
    int count = 0;
    int thrown = 0;
    static int destroyed;
    ~Events() { ++destroyed; }
};
int Events::destroyed = 0;

// No exception may leave a callback: it is caught in it.
extern "C" void on_event(void *user_data, const char *event, size_t length) {
    Events *events = static_cast<Events *>(user_data);
    try {
        events->count += static_cast<int>(std::string(event, length).size() > 0);
        throw std::runtime_error("to be caught here");
    } catch (const std::exception &) {
        ++events->thrown;
    }
}

extern "C" void destroy_events(void *user_data) { delete static_cast<Events *>(user_data); }

Client client_of(const std::string &config, const payments_options *options) {
    payments_client *client = nullptr;
    payments_error *error = nullptr;
    payments_status status =
        payments_client_new(config.data(), config.size(), options, &client, &error);
    Error owner(error);
    CHECK(status == PAYMENTS_STATUS_OK);
    return Client(client);
}

}  // namespace

int main() {
    const std::string config =
        std::string("{\"base_url\":\"") + std::getenv("PAYMENTS_TEST_SANDBOX") +
        "\",\"integration_key\":\"sandbox-integration-key\"}";
    const std::string body =
        "{\"payment\":{\"name\":\"Maria Souza\",\"email\":\"maria@example.com\","
        "\"country\":\"br\",\"payment_type_code\":\"pix\",\"merchant_payment_code\":\"cpp-1\","
        "\"currency_code\":\"BRL\",\"amount_total\":100.10,\"document\":\"853.513.468-93\"}}";
    Events *events = new Events;
    {
        payments_options *made = nullptr;
        CHECK(payments_options_new(&made) == PAYMENTS_STATUS_OK);
        Options options(made);
        CHECK(payments_options_set_observer(options.get(), events, on_event, destroy_events,
                                            nullptr) == PAYMENTS_STATUS_OK);
        Client client = client_of(config, options.get());
        options.reset();
        payments_response *response = nullptr;
        payments_error *error = nullptr;
        CHECK(payments_client_create_payment(client.get(), body.data(), body.size(), nullptr,
                                             &response, &error) == PAYMENTS_STATUS_OK);
        Response paid(response);
        CHECK(payments_response_http_status(paid.get()) == 200);
        CHECK(payments_client_create_payment(client.get(), body.data(), body.size(), nullptr,
                                             &response, &error) == PAYMENTS_STATUS_REJECTED);
        Error refusal(error);
        CHECK(std::strcmp(payments_error_service_code(refusal.get()), "BP-DR-0") == 0);
        CHECK(response == nullptr);
        CHECK(events->count > 0 && events->thrown == events->count);
        CHECK(Events::destroyed == 0);
    }
    CHECK(Events::destroyed == 1);
    std::puts("  handles_and_callbacks_work_from_cpp");
    return 0;
}
