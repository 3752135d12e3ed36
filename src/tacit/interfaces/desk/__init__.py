"""The desk over HTTP: the service, the page that its owner watches, and a provider's client."""
