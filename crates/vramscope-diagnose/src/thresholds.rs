//! Every threshold of the diagnosis, with its reason.
